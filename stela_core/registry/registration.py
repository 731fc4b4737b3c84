"""Is a class that a plugin registers what its hook takes? If not, why."""

from __future__ import annotations

import inspect
import re

from pydantic import BaseModel

from stela_core.interfaces import Choice, Component, GreenList, Mark, Scheme

NAME = re.compile(r"\w[\w.-]*")
"""Letters of any script, digits, ``_``, ``-`` and ``.``; ``+`` and ``:`` mean something to the commands."""


def require_component(component: object, interface: type[Component]) -> type[Component]:
    """The class, if it is one that can be made and named.

    Raises:
        TypeError: says what is wrong with it, in one line.
    """
    if not (isinstance(component, type) and issubclass(component, interface)):
        what = (
            f"an object of {type(component).__name__}"
            if isinstance(component, interface)
            else ascii(component)
        )
        raise TypeError(f"the {interface.kind} hook returned {what[:100]}, not a {interface.__name__} class")
    title = component.__qualname__
    name = getattr(component, "name", None)
    if name is None:
        raise TypeError(f'{title} has no name: write name = "..." in it')
    if not isinstance(name, str):
        raise TypeError(f"the name of {title} is {ascii(name)[:60]}, not a string")
    if not NAME.fullmatch(name):
        raise TypeError(f"the name of {title}, {ascii(name)[:60]}, has more than letters, digits, _, - and .")
    # Interfaces are plain classes: nothing but this looks at their abstract methods.
    members = {member: inspect.getattr_static(component, member) for member in dir(component)}
    missing = [member for member, value in members.items() if getattr(value, "__isabstractmethod__", False)]
    if missing:
        asks = next(base for base in component.__mro__ if missing[0] in vars(base)).__name__
        raise TypeError(f"{title} lacks {', '.join(missing)}, which every {asks} defines")
    base = interface.Parameters
    given = component.Parameters
    if not (isinstance(given, type) and issubclass(given, BaseModel)):
        raise TypeError(f"{title}.Parameters is no class of parameters: derive it from stela.{base.__name__}")
    if issubclass(component, Mark):
        if not issubclass(component, GreenList | Choice):
            raise TypeError(f"{title} raises no logits and chooses no token: derive it from stela.Choice")
        chooses = issubclass(component, Choice)
        base, lacks = (Choice.Parameters, "context_width") if chooses else (GreenList.Parameters, "gamma")
        if not issubclass(given, base):
            raise TypeError(f"{title}.Parameters has no {lacks}: derive it from stela.{base.__name__}")
    if issubclass(component, Scheme) and not component.weights_are_biases and not issubclass(given, base):
        raise TypeError(f"{title}.Parameters has no delta: derive it from stela.{base.__name__}")
    return component
