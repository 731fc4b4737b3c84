"""Prompts in English, and what a human might have written after each."""

from __future__ import annotations

PROMPTS = (
    "The history of the city",
    "In the winter of that year",
    "The first school",
    "After the war",
    "The old bridge",
    "Most of the trade",
    "The river",
    "The people of the village",
)
HUMAN = (
    "begins with a small harbour that the fishermen built of stone and timber, long before there was a road.",
    "the river froze, and for six weeks no ship could reach the town at all; the price of bread doubled.",
    "was opened by two sisters, who taught the children of the workers in the evening and on Sundays.",
    "many of the houses were built again, higher than before and closer to the water than anyone had dared.",
    "was widened twice, and at last replaced by one of steel that carries the railway to the other bank.",
    "went through the market, where grain, wool and salt were weighed under oath by men of the council.",
    "rises in the hills to the north, turns west below the castle and is wide enough for boats from there.",
    "kept bees and goats, sold cheese in the valley, and spoke a dialect that nobody else could follow.",
)
