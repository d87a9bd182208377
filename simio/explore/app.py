"""The page: Dash components and callbacks around a `Session`; no input from the browser is trusted."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from dash import ALL, Dash, Input, Output, State, ctx, dcc, html, no_update

from simio.errors import SimioError, one_line
from simio.explore import state as states
from simio.explore.guard import guard
from simio.explore.knobs import Knob
from simio.explore.session import CaseAnswer, Opened, Session
from simio.explore.view import curve_figure, empty, parts, timeline_figures
from simio.report.html.text import asset

_CONFIG: Any = {"displaylogo": False, "showSendToCloud": False, "displayModeBar": False}
_INDEX = """<!DOCTYPE html>
<html lang="en">
<head>
{{%metas%}}
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>simio explore</title>
{{%css%}}
<style>
{style}
</style>
</head>
<body>
{{%app_entry%}}
<footer>{{%config%}}{{%scripts%}}{{%renderer%}}</footer>
</body>
</html>
"""
_SHOW = """function(parts) {
  for (const name of ["answer", "uses", "records"]) {
    const place = document.getElementById(name);
    if (place) place.innerHTML = (parts || {})[name] || "";
  }
  return window.dash_clientside.no_update;
}"""
_ADDRESS = """function(query) {
  if (query && query !== location.search) history.replaceState(null, "", query);
  return query ? location.origin + location.pathname + query : "";
}"""
_LABEL = """function(texts) {
  for (const knob of document.querySelectorAll(".knob")) {
    const control = knob.querySelector("input[type=range], button");
    const [name, value, about] = ["span", "b", "small"].map((kind) => knob.querySelector(kind));
    if (!control || !name) continue;
    // The button of a list names itself by its value alone.
    if (control.tagName === "BUTTON") control.setAttribute("aria-labelledby", `${name.id} ${control.id}-value`);
    else control.setAttribute("aria-label", name.textContent);
    if (value) control.setAttribute("aria-valuetext", value.textContent);
    if (about) control.setAttribute("aria-describedby", about.id);
  }
  return window.dash_clientside.no_update;
}"""
T = TypeVar("T")


def make_app(session: Session, hosts: Collection[str] | None) -> Dash:
    """The application; `hosts` are the names under which a browser may ask for it, None for any."""
    app = Dash("simio", serve_locally=True, update_title="", suppress_callback_exceptions=True)
    style = asset("page.css") + asset("explore.css", "simio.explore")
    app.index_string = _INDEX.format(style=style)
    app.layout = lambda: _layout(session)
    _opening(app, session)
    _answering(app, session)
    _saving(app, session)
    app.clientside_callback(_SHOW, Output("shown", "data"), Input("detail", "data"))
    app.clientside_callback(_LABEL, Output("labelled", "data"), Input(_VALUE, "children"))
    app.clientside_callback(_ADDRESS, Output("share", "value"), Input("query", "data"))
    guard(app.server, hosts, app.callback_map)
    return app


def _layout(session: Session) -> html.Div:
    names = session.names()
    pick = dcc.Dropdown(names, None, id="scenario", clearable=False, placeholder="a scenario")
    save = html.Div(
        [
            html.Label("Name of a new scenario", htmlFor="name", className="unseen"),
            dcc.Input(id="name", placeholder="new-name", maxLength=64),
            html.Button("Save as a scenario", id="save"),
        ],
        className="row",
    )
    share = html.Div([dcc.Input(id="share", readOnly=True, type="text")], className="row")
    side = html.Div(
        [
            html.Div([html.Label("Scenario", htmlFor="scenario"), pick], className="picks"),
            html.Div(id="knobs"), save, html.P(id="saved", className="note"),
            html.Label("This page, as an address:", htmlFor="share", className="note"), share,
        ],
        className="side",
    )  # fmt: skip
    axis = dcc.Dropdown([], None, id="axis", clearable=False)
    graphs = html.Div(
        [
            html.Div(id="message", className="message", role="alert"), html.P(id="note", className="note"),
            html.Div(id="answer"),
            html.Div([html.Label("Throughput over", htmlFor="axis"), axis], className="picks"),
            _image(dcc.Graph(id="curve", figure=empty(), config=_CONFIG), "Throughput over the chosen value"),
            html.P(id="curve-note", className="note"),
            html.Div(id="uses"), html.Div(id="timelines"), html.Div(id="records"),
        ]
    )  # fmt: skip
    stores = [
        dcc.Location(id="url", refresh=False),
        *(dcc.Store(id=name) for name in ("detail", "shown", "query", "opened", "labelled")),
    ]
    head = html.Header([html.H1("simio explore", id="title"), html.P(id="about", className="about")])
    main = html.Main(html.Div([side, graphs], className="controls"), className="explore")
    return html.Div([*stores, head, main], className="explore")


def _image(graph: dcc.Graph, label: str) -> html.Div:
    """A graph with the words that stand for it."""
    words: Any = {"aria-label": label}
    return html.Div(graph, role="img", **words)


def _tried(make: Callable[[], T]) -> tuple[T | None, str]:
    """The result of `make`, or the message for the user."""
    try:
        return make(), ""
    except SimioError as error:
        return None, str(error)


def _knobs(opened: Opened, chosen: dict[str, str]) -> list[html.Fieldset]:
    """A control for each knob that leaves a choice, at the value chosen, by the part of the scenario."""
    groups: dict[str, list[html.Div]] = {}
    for number, knob in enumerate(opened.knobs):
        if len(knob.values) > 1:
            groups.setdefault(knob.group, []).append(_knob(knob, chosen[knob.key], number))
    return [html.Fieldset([html.Legend(name), *inside]) for name, inside in groups.items()]


def _knob(knob: Knob, value: str, number: int) -> html.Div:
    """A slider for numbers, and a list for words, below its name."""
    name: dict[str, str] = {"type": "knob", "key": knob.key}
    at = knob.values.index(value)
    control: Any = (
        dcc.Dropdown(
            [{"label": text, "value": place} for place, text in enumerate(knob.values)], at, id=name,
            clearable=False, searchable=False,
        )
        if knob.words
        else dcc.Input(id=name, type="range", min=0, max=len(knob.values) - 1, step=1, value=at)
    )  # fmt: skip
    # The text of a list is in the list itself.
    shown = html.B(value, id={"type": "value", "key": knob.key}, className="unseen" if knob.words else "")
    about = [html.Small(knob.about, id=f"about-{number}")] if knob.about else []
    label = html.Label(
        [html.Span(knob.name, id=f"name-{number}"), shown],
        htmlFor=json.dumps(name, sort_keys=True, separators=(",", ":")),
    )
    return html.Div([label, *about, control], className="knob", title=knob.key)


def _values(
    session: Session, name: object, places: Sequence[object], ids: Sequence[Any]
) -> tuple[Opened, dict[str, str]]:
    """The scenario and the values that the controls of a page stand for; whatever is not one of them is refused."""
    opened = session.open(name if isinstance(name, str) else "")
    known = {knob.key: knob for knob in opened.knobs}
    values = {}
    for place, each in zip(places, ids, strict=True):
        knob = known.get(str(each.get("key")) if isinstance(each, dict) else "")
        try:
            at = int(place) if isinstance(place, int | float | str) else -1
        except (ValueError, OverflowError):
            at = -1
        if knob is None or knob.key in values or not 0 <= at < len(knob.values):
            raise SimioError("the page and the scenario do not fit each other any more; load the page again")
        values[knob.key] = knob.values[at]
    return opened, values


_KNOB, _VALUE = {"type": "knob", "key": ALL}, {"type": "value", "key": ALL}


def _opening(app: Dash, session: Session) -> None:
    """Add the callback for a change of the address or of the scenario."""

    @app.callback(
        [Output("knobs", "children"), Output("opened", "data"), Output("scenario", "value"),
         Output("axis", "options"), Output("axis", "value"), Output("title", "children"), Output("about", "children"),
         Output("message", "children", allow_duplicate=True)],
        [Input("url", "search"), Input("scenario", "value")],
        State("opened", "data"),
        prevent_initial_call="initial_duplicate",
    )  # fmt: skip
    def show(search: object, picked: object, before: object) -> tuple[Any, ...]:
        """Open the scenario that the address names, or that was picked."""
        by_pick = ctx.triggered_id == "scenario" and picked is not None
        if by_pick and picked == before:
            return (no_update,) * 8

        def make() -> tuple[Any, ...]:
            query = states.PageState(str(picked)) if by_pick else states.read_state(str(search or ""))
            opened = session.open(query.scenario or session.first())
            chosen = session.chosen(opened, query.values)
            keys = [each.key for each in opened.knobs]
            varied = [each for each in opened.knobs if each.points] or opened.knobs
            longest = max(varied, key=lambda each: len(each.points or each.values), default=None)
            axis = query.axis or (longest.key if longest else "")
            if axis and axis not in keys:
                raise SimioError(f"nothing called {axis!r} can be changed in {opened.name}")
            scenario = opened.scenario
            return (
                _knobs(opened, chosen),
                opened.name,
                opened.name,
                keys,
                axis,
                scenario.title,
                scenario.about,
                "",
            )

        found, message = _tried(make)
        names = session.names()
        links = [html.Li(html.A(name, href=states.PageState(name).query)) for name in names]
        told = [html.P(message), html.P("Choose one:"), html.Ul(links, className="choices")]
        return found or ([], None, no_update, [], None, "simio explore", "", told)


def _answering(app: Dash, session: Session) -> None:
    """Add the callbacks for a slider that moves: the answer first, then the curve."""

    @app.callback(
        [Output("detail", "data"), Output("note", "children"), Output("timelines", "children"),
         Output("query", "data"), Output("message", "children"), Output(_VALUE, "children")],
        [Input(_KNOB, "value"), Input("opened", "data"), Input("axis", "value")],
        State(_KNOB, "id"),
        prevent_initial_call=True,
    )  # fmt: skip
    def answer(places: list[object], name: object, axis: object, ids: list[Any]) -> tuple[Any, ...]:
        """Run the values of the sliders, and show the answer."""
        labels = [no_update] * len(ids)
        if not name:
            return empty(), "", [], no_update, no_update, labels
        chosen, message = _tried(lambda: _values(session, name, places, ids))
        if chosen is None:
            return empty(), "", [], no_update, message, labels
        opened, values = chosen
        query = states.PageState(opened.name, values, str(axis or "")).query
        found, message = _tried(lambda: session.answer(opened, values))
        inside = {} if found is None else parts(found)
        plots = [] if found is None else _plots(found)
        return inside, found.note if found else "", plots, query, message, list(values.values())

    @app.callback(
        [Output("curve", "figure"), Output("curve-note", "children")],
        [Input(_KNOB, "value"), Input("axis", "value"), Input("opened", "data")],
        State(_KNOB, "id"),
        prevent_initial_call=True,
    )
    def curve(places: list[object], axis: object, name: object, ids: list[Any]) -> tuple[Any, str]:
        """Throughput over one knob, the others as they are."""
        if not name or not axis:
            return empty(), ""

        def make() -> tuple[Any, str]:
            opened, values = _values(session, name, places, ids)
            result, note = session.curve(opened, values, str(axis))
            figure = curve_figure(result, values.get(str(axis), ""))
            return figure, "; ".join(filter(None, (figure.pop("about", ""), note)))

        found, message = _tried(make)
        return found or (empty(), one_line(message))


def _saving(app: Dash, session: Session) -> None:
    """Add the callback of the button that saves."""

    @app.callback(
        [Output("saved", "children"), Output("scenario", "options")],
        Input("save", "n_clicks"),
        [State("name", "value"), State(_KNOB, "value"), State(_KNOB, "id"), State("opened", "data")],
        prevent_initial_call=True,
    )
    def save(
        _clicks: object, name: object, places: list[object], ids: list[Any], opened_name: object
    ) -> tuple[Any, ...]:
        """Write the values on the page as a new scenario."""

        def make() -> str:
            opened, values = _values(session, opened_name, places, ids)
            return f"saved as {session.save(opened, values, str(name or '')).name}"

        found, message = _tried(make)
        return found or message, session.names()


def _plots(found: CaseAnswer) -> list[Any]:
    plots = []
    for title, figure in timeline_figures(found.result, found.unit).items():
        about = figure.pop("about", "")
        graph = _image(dcc.Graph(figure=figure, config=_CONFIG), f"{title}: {about}")
        plots.append(html.Div([html.H3(title), graph, html.P(about, className="note")]))
    return plots
