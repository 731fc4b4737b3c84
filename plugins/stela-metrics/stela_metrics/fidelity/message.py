"""The metric ``fidelity-message``: how often the message of a text is read, and read wrongly."""

from __future__ import annotations

from collections.abc import Sequence

import stela_run
from stela_run.intervals import mean_value
from stela_run.plan.keys import message_of

from stela_metrics.fidelity.strength import require_marked


class MessageRead(stela_run.Metric):
    """What is read of the messages that texts carry; nothing where schemes carry none.

    - ``message-right``: share of texts that are found, and whose message is shown whole and right;
    - ``message-wrong``: share in which a shown digit is wrong;
    - ``message-best``: share whose best message is right, sure or not;
    - ``bit-accuracy``: share of bits of the best message that are right, as papers report it.
    """

    name = "fidelity-message"

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """Four shares, means over texts with 95 % bootstrap intervals, or none.

        Raises:
            StelaError: the sample has no marked text.
        """
        require_marked(sample)
        read: dict[str, list[float]] = {}
        for one in sample.marked:
            # Detections of a cell are kept without what evidence holds, which is made again here.
            message, key = one.detection.message or one.detection.evidence.message, one.key
            if message is None or key is None:
                continue
            sent = message_of(key, one.generated.prompt, message.bits)
            shown = message.text if one.detection.watermarked else "?" * len(message.text)
            digits = list(zip(shown, f"{sent:0{len(shown)}x}", strict=True))
            values = {
                "message-right": all(digit == own for digit, own in digits),
                "message-wrong": any(digit not in ("?", own) for digit, own in digits),
                "message-best": message.value == sent,
                "bit-accuracy": 1 - (message.value ^ sent).bit_count() / message.bits,
            }
            for name, value in values.items():
                read.setdefault(name, []).append(float(value))
        return [mean_value(name, values, sample.seed) for name, values in read.items()]
