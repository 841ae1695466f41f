"""A figure that matplotlib wrote as it stands in a page: small, in the page's colours and font."""

from __future__ import annotations

import re
from xml.etree import ElementTree

__all__ = ["GRID", "SERIES", "TEXT", "for_page"]

#: Colours to draw with, in the place of those that the page gives.
TEXT, GRID = "#010101", "#010102"
SERIES = tuple(f"#0102{number:02x}" for number in range(6))

_OF_PAGE = {TEXT: "currentColor", GRID: "var(--grid)"} | {
    colour: f"var(--s{number})" for number, colour in enumerate(SERIES)
}
_COLOUR = re.compile("|".join(_OF_PAGE))
_LONG = re.compile(r"-?\d+\.\d{3,}")


def for_page(text: str, title: str, prefix: str) -> str:
    """The SVG as it stands in HTML, where ``title`` names it: without what only a file of its own
    needs, and with the page's colours (``currentColor`` for text, ``--grid``, ``--s0`` to ``--s5``)
    and font. All ids begin with ``prefix``, so that several can stand in a page.

    text: an SVG file whose texts are all of one size, drawn in `TEXT`, `GRID` and `SERIES`.
    """
    root = ElementTree.fromstring(text)
    kept = _references(root)
    names = {name: f"{prefix}-{number}" for number, name in enumerate(kept)}
    for parent in root.iter():
        for child in list(parent):
            if child.tag.endswith(("}metadata", "}style")):
                parent.remove(child)
    for node in root.iter():
        node.tag = node.tag.partition("}")[2]
        node.text = (node.text or "").strip() or None
        node.tail = None
        attributes = {}
        for key, value in node.attrib.items():
            made = _attribute(key.rpartition("}")[2], value, names)
            if made is not None:
                attributes[key.rpartition("}")[2]] = made
        node.attrib.clear()
        node.attrib.update(attributes)
    view = root.get("viewBox", "")
    root.attrib.clear()
    root.attrib.update({"viewBox": view, "role": "img", "aria-label": title})
    _flatten(root)
    return ElementTree.tostring(root, encoding="unicode")


def _references(root: ElementTree.Element) -> list[str]:
    """Ids that others in it name, in order."""
    found: dict[str, None] = {}
    for node in root.iter():
        for key, value in node.attrib.items():
            if key.endswith("}href"):
                found[value[1:]] = None
            for name in re.findall(r"url\(#([^)]+)\)", value):
                found[name] = None
    return list(found)


def _attribute(key: str, value: str, names: dict[str, str]) -> str | None:
    """An attribute's value for the page; None if it is not needed."""
    if key == "id":
        return names.get(value)
    if key == "href":
        return f"#{names[value[1:]]}"
    if key == "transform" and value.startswith("rotate(-0"):
        return None
    if key == "style":
        rules = [rule.strip() for rule in value.split(";") if rule.strip()]
        kept = [rule.replace(": ", ":") for rule in rules if not rule.startswith("font-")]
        value = ";".join(_COLOUR.sub(lambda found: _OF_PAGE[found[0]], rule) for rule in kept)
        if not value:
            return None
    elif key in ("d", "x", "y", "width", "height"):
        value = _LONG.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), value)
        value = " ".join(value.split())
    return re.sub(r"url\(#([^)]+)\)", lambda found: f"url(#{names[found[1]]})", value)


def _flatten(node: ElementTree.Element) -> None:
    """Put what stands in groups that say nothing in their place, and what is drawn alike in one
    path.
    """
    children: list[ElementTree.Element] = []
    for child in node:
        _flatten(child)
        if child.tag in ("g", "defs") and not child.attrib and not len(child):
            continue
        for each in list(child) if child.tag == "g" and not child.attrib else [child]:
            if children and _alike(children[-1], each):
                children[-1].set("d", f"{children[-1].get('d')} {each.get('d')}")
            else:
                children.append(each)
    node[:] = children


def _alike(one: ElementTree.Element, other: ElementTree.Element) -> bool:
    return one.tag == other.tag == "path" and {**one.attrib, "d": ""} == {**other.attrib, "d": ""}
