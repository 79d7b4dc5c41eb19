"""The real page in a real browser: people play, analyse, and look inside the search."""

from __future__ import annotations

import numpy as np
import pytest

from honte import presets
from honte.evaluation import NetworkEvaluator
from honte.games.go import Go, Rules
from honte.search.config import Puct
from honte.search.reference import ReferenceSearch
from honte.search.reference.phases import explored
from shared_data import REPOSITORY

SHOWN = {
    "play": ".board",
    "inside": ".stage",
    "explorer": ".explorer [aria-busy=false] [data-milestone='1600']",
    "bandit": "table[data-finished=true]",
    "compare": ".contenders .board",
}
"""What each panel has once everything that it shows at first is there."""


def go_to(page, panel):
    page.click(f"[data-panel={panel}]")
    page.wait_for_selector(SHOWN[panel])


def address_of(page):
    return page.evaluate("location.href")


def pause(page):
    page.click("[data-action=analyse]")
    page.wait_for_selector("[data-action=analyse][aria-pressed=false]")


def play(page, *vertices):
    for vertex in vertices:
        before = page.get_attribute(".status", "data-node")
        if vertex == "pass":
            page.click("[data-action=pass]")
        else:
            page.click(f"[data-point={vertex}]")
        page.wait_for_function(
            "before => document.querySelector('.status').dataset.node !== before", arg=before
        )


WALLS = [
    ("E9", "F9"), ("E8", "F8"), ("E7", "F7"), ("E6", "F6"), ("E5", "F5"),
    ("E4", "F4"), ("E3", "F3"), ("E2", "F2"), ("E1", "F1"),
]  # fmt: skip


def test_a_game_is_played_to_the_score(open_page):
    page = open_page()
    for pair in WALLS:
        play(page, *pair)
    play(page, "pass", "pass")
    # Chinese rules: Black has columns A to E, White F to J: 45 to 36, less 7.5 komi.
    assert "B+1.5" in page.text_content("[data-role=state]")
    page.click("[data-action=count]")
    page.wait_for_selector("[data-score]")
    assert float(page.get_attribute("[data-score]", "data-score")) == -1.5


def test_the_engine_answers_a_person(open_page):
    page = open_page()
    page.fill("[data-number=visits]", "60")
    page.press("[data-number=visits]", "Tab")
    page.click("[data-action=new-game]")
    page.wait_for_selector(".player:nth-child(2):has-text('the engine')")
    page.click("[data-point=E5]")
    page.wait_for_selector(".status:has-text('Move 2')")
    assert page.locator(".knot").count() == 3


def test_a_dropped_record_is_analysed(open_page):
    page = open_page()
    record = "(;SZ[9]KM[7];B[ee];W[gc];B[cg](;W[cc];B[gg])(;W[gg]))"
    page.evaluate(
        """text => {
            const carried = new DataTransfer();
            carried.items.add(new File([text], 'game.sgf'));
            const at = document.querySelector('.board');
            at.dispatchEvent(new DragEvent('drop', {dataTransfer: carried, bubbles: true,
                                                    cancelable: true}));
        }""",
        record,
    )
    page.wait_for_function("() => document.querySelectorAll('.knot').length === 7")
    page.keyboard.press("End")
    page.wait_for_selector(".status:has-text('Move 5')")
    page.keyboard.press("Home")
    page.wait_for_selector(".status:has-text('Move 0')")
    page.keyboard.press("Space")
    page.wait_for_selector(".candidates tbody tr")
    page.wait_for_selector(".bubble")
    page.keyboard.press("Space")
    page.wait_for_selector("[data-action=scan][data-judged='1']")
    page.click("[data-action=scan]")
    page.wait_for_selector("[data-action=scan][data-judged='6']:has-text('Judge')")
    assert page.locator("progress").count() == 0


FOLLOWED = """[...document.querySelectorAll('.candidates tbody tr')]
    .filter(row => row.querySelector('.line').textContent.trim() !== '')
    .map(row => row.querySelector('th').textContent.trim()).filter(name => name !== 'pass')"""
"""The points among the candidates of which is said what follows."""


def test_a_hovered_candidate_shows_what_follows(open_page):
    page = open_page()
    page.click("[data-action=analyse]")
    page.wait_for_selector(".candidates tbody tr:nth-child(3)")
    page.wait_for_function(f"() => {FOLLOWED}.length > 0")
    pause(page)
    best = page.evaluate(FOLLOWED)[0]
    page.hover(f"[data-point={best}]")
    page.wait_for_selector(".board text.on-black:has-text('1')")


def test_each_step_has_the_numbers_of_the_reference_search(open_page, network_file):
    page = open_page("#/inside?b=5&k=0.5&mode=steps")
    evaluator = NetworkEvaluator(network_file)

    def evaluate(state):
        answer = evaluator.evaluate([state])
        value = float(answer.values.win[0] - answer.values.loss[0])
        return value, np.log(np.maximum(answer.policy[0], 1e-30))

    go_to(page, "play")
    page.select_option("[data-choice=system]", "alphazero")
    page.click("[data-panel=inside]")
    page.wait_for_selector(".inside[data-engine=alphazero]")
    page.click("[data-segment=steps]")
    page.wait_for_selector("[data-simulation='0'][data-known='1']")
    reference = ReferenceSearch(
        Go(5, rules=Rules.named("chinese"), komi=0.5).new_initial_state(),
        presets.alphazero(),
        evaluate,
    )
    reference.simulate()
    for number in range(1, 6):
        page.click("[data-action=next-simulation]")
        page.wait_for_selector(f"[data-simulation='{number}']")
        before = {edge.action: (edge.n, edge.w) for edge in reference.root.edges}
        reference.simulate()
        after = {edge.action: (edge.n, edge.w) for edge in reference.root.edges}
        changed = [action for action in after if after[action] != before.get(action)]
        page.click("[data-phase-button=backup]")
        row = page.locator(f"[data-backup='{changed[0]}']").first.evaluate(
            "row => ({...row.dataset})"
        )
        assert int(row["n"]) == after[changed[0]][0]
        assert float(row["w"]) == pytest.approx(after[changed[0]][1], abs=2e-3)
    # And back again: the simulation before is still there, as it was.
    page.click("[data-action=simulation-back]")
    page.wait_for_selector("[data-simulation='4'][data-phase=selection]")
    page.click("[data-action=step-back]")
    page.wait_for_selector("[data-simulation='3'][data-phase=backup]")


def bars(page):
    """The explorer's rows, once its answers to what it is asked now are all there."""
    page.wait_for_selector(SHOWN["explorer"])
    return page.evaluate(
        """[...document.querySelectorAll('.bar-row')].map(({dataset: {n, q, u, prior}}) =>
            ({n: Number(n), q: Number(q), u: Number(u), prior: Number(prior)}))"""
    )


def test_the_c_puct_slider_moves_the_bars_as_the_formula_says(open_page):
    page = open_page("#/explorer?n=100")
    for c in ("0.5", "3"):
        page.fill("[data-slider=c]", c)
        assert f"c={c}" in address_of(page).partition("?")[2].split("&")
        numbers = bars(page)
        assert f"c(N) = {float(c):.3f}" in page.text_content(".bars-key")
        total = sum(row["n"] for row in numbers)
        assert total == 100
        for row in numbers:
            wanted = explored(Puct(c_puct=float(c)), row["prior"], row["n"], total)
            assert row["u"] == pytest.approx(wanted, abs=1e-9)


def test_the_papers_check_values_can_be_read_off(open_page):
    page = open_page("#/explorer?n=1600&a=10:0,90:0")
    page.wait_for_selector(SHOWN["explorer"])
    row = page.locator("[data-u-of='0.1'] td")
    assert row.all_text_contents() == ["6.00", "3.00", "1.00", "0.55", "0.12", "0.059", "0.015"]


def test_the_game_is_there_after_a_reload(open_page):
    page = open_page()
    play(page, "E5", "G7", "C3")
    address = address_of(page)
    page.reload()
    page.wait_for_selector(".status:has-text('Move 3')")
    assert address_of(page) == address
    play(page, "C7")


def test_an_address_carries_the_position_to_another_person(open_page):
    first = open_page()
    play(first, "E5", "G7", "C3")
    second = open_page("#" + address_of(first).partition("#")[2])
    second.wait_for_selector(".status:has-text('Move 3')")
    play(second, "C7")
    assert "Move 3" in first.text_content(".status")


def test_two_people_play_two_games_at_once(open_page):
    first, second = open_page(), open_page()
    play(first, "E5")
    play(second, "C3", "G7")
    assert "Move 1" in first.text_content(".status")
    assert "Move 2" in second.text_content(".status")


def test_a_move_on_a_stone_is_refused_in_a_sentence(open_page):
    page = open_page()
    play(page, "E5")
    page.click("[data-point=E5]")
    page.wait_for_selector(".notice:has-text('there is a stone already')")
    play(page, "E6")


def test_the_tree_grows_and_its_table_takes_scores_apart(open_page):
    page = open_page("#/inside")
    page.click("[data-action=analyse]")
    page.wait_for_selector("canvas.tree")
    page.wait_for_function("() => Number(document.querySelector('canvas.tree').dataset.nodes) > 20")
    page.wait_for_selector("table.children tr.best")
    page.click("[data-action=analyse]")
    page.wait_for_selector("[data-action=analyse]:has-text('Start')")
    page.locator("canvas.tree").focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function(
        "() => document.querySelector('.card h2').textContent !== 'The position on the board'"
    )


def test_systems_answer_side_by_side(open_page):
    page = open_page("#/compare?systems=uct,policy_only&v=50")
    page.click("[data-action=compare]")
    page.wait_for_selector("[data-system=uct] [data-choice]")
    page.wait_for_selector("[data-system=policy_only] [data-choice]")


def test_good_priors_regret_less_than_bad_ones(open_page):
    page = open_page("#/bandit?pulls=200&runs=5")
    page.wait_for_selector("table[data-finished=true]")

    def regret(name):
        return float(page.text_content(f"[data-strategy={name}] td:nth-of-type(1)"))

    assert regret("puct_good") < regret("puct_bad")
    assert regret("ucb1") < regret("chance")


def test_the_page_speaks_four_languages_and_arabic_from_the_right(open_page):
    page = open_page()
    for language, word in (("id", "Hitam"), ("hi", "काला"), ("ar", "الأسود")):
        page.select_option("[data-choice=language]", language)
        page.wait_for_selector(f".players :text('{word}')")
    assert page.get_attribute("html", "dir") == "rtl"
    page.reload()
    page.wait_for_selector(".players :text('الأسود')")


@pytest.mark.parametrize("width", [1280, 390])
def test_no_panel_is_wider_than_its_screen(open_page, width):
    page = open_page(viewport={"width": width, "height": 844})
    for panel in ("play", "inside", "explorer", "bandit", "compare"):
        go_to(page, panel)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, panel


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(open_page, page_tools, scheme):
    page = open_page(color_scheme=scheme)
    play(page, "E5", "G7")
    page.click("[data-action=analyse]")
    page.wait_for_selector(".candidates tbody tr")
    pause(page)
    page.evaluate((page_tools / "axe-core" / "axe.min.js").read_text("utf-8"))
    for panel in ("play", "inside", "explorer", "bandit", "compare"):
        go_to(page, panel)
        page.wait_for_function("() => document.getAnimations().length === 0")
        found = page.evaluate(
            "axe.run(document, {resultTypes: ['violations']}).then(r => r.violations"
            ".filter(v => v.impact === 'serious' || v.impact === 'critical')"
            ".map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 120)).join(' | ')))"
        )
        assert found == [], panel


def processor_clock(page):
    """Seconds of processor time that the page's own thread has used since it was loaded: what else
    the machine does is not its fault."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def used():
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "ThreadTime")

    return used


def test_the_first_paint_comes_within_a_second(open_page):
    """And before the server has said anything of the game."""
    page = open_page()
    page.route_web_socket("**/socket*", lambda socket: None)
    used = processor_clock(page)
    # The best of three: a browser that starts has other things to do too.
    times = []
    for _ in range(3):
        page.reload()
        page.wait_for_function(
            "() => performance.getEntriesByName('first-contentful-paint').length === 1"
        )
        times.append(used())
        assert page.locator(".board").count() == 0
    assert 0 < min(times) < 1


def test_the_tree_of_five_thousand_nodes_moves_thirty_times_a_second(open_page):
    page = open_page("#/inside?nodes=5000")
    page.click("[data-action=analyse]")
    page.wait_for_function(
        "() => Number(document.querySelector('canvas.tree')?.dataset.nodes) > 4000"
    )
    page.click("[data-action=analyse]")
    page.wait_for_selector("[data-action=analyse]:has-text('Start')")
    used = processor_clock(page)
    # The best of three: the browser may still be laying out what came last.
    costs = []
    for _ in range(3):
        before = used()
        page.evaluate(
            """frames => new Promise(done => {
                const canvas = document.querySelector('canvas.tree');
                const box = canvas.getBoundingClientRect();
                let drawn = 0;
                const step = () => {
                    if (drawn++ === frames) return done();
                    canvas.dispatchEvent(new WheelEvent('wheel', {bubbles: true, cancelable: true,
                        deltaY: drawn % 2 ? 60 : -60, clientX: box.x + 200, clientY: box.y + 200}));
                    requestAnimationFrame(step);
                };
                requestAnimationFrame(step);
            })""",
            40,
        )
        costs.append((used() - before) / 40)
    assert 0 < min(costs) < 1 / 30, costs


def test_a_held_key_walks_through_a_long_game(open_page):
    page = open_page()
    record = (REPOSITORY / "examples" / "alphago-lee-sedol-game-4.sgf").read_text("utf-8")
    page.evaluate(
        """text => document.body.dispatchEvent(new ClipboardEvent('paste', {bubbles: true,
            clipboardData: (d => (d.setData('text/plain', text), d))(new DataTransfer())}))""",
        record,
    )
    page.wait_for_selector(".status:has-text('Move 0')")
    page.wait_for_function("() => document.querySelectorAll('.knot').length > 100")
    for _ in range(78):
        page.keyboard.press("ArrowRight")
    page.wait_for_selector(".status:has-text('Move 78')")


def test_raves_bars_are_its_two_values_by_their_weights(open_page):
    page = open_page("#/explorer?f=rave&eq=100&n=100&c=0.1")
    page.wait_for_selector(SHOWN["explorer"])
    page.wait_for_selector(".track .amaf")
    # At k visits of the node both values have equal weight.
    assert page.text_content("[data-u-of='100'] [data-at='100']") == "0.50"
    page.fill("[data-number=amaf-6]", "1")
    page.press("[data-number=amaf-6]", "Tab")
    page.wait_for_selector(".bar-row.best[data-action='5']")


def test_gumbel_draws_anew_and_shows_its_halving(open_page):
    page = open_page("#/explorer?f=gumbel&n=16&mc=4")
    assert sum(row["n"] for row in bars(page)) == 16
    assert page.locator(".halving tbody tr").count() == 2
    scores = "[...document.querySelectorAll('.bar-row')].map(row => row.dataset.score).join()"
    before = page.evaluate(scores)
    page.click("[data-action=redraw]")
    page.wait_for_function(f"before => {scores} !== before", arg=before)


def test_alphabeta_stands_beside_the_others_with_its_line_and_depth(open_page):
    page = open_page("#/compare?b=3&k=0.5&sys=uct&net=playouts&systems=uct,alphabeta&v=150")
    page.click("[data-action=compare]")
    page.wait_for_selector("[data-system=alphabeta][data-depth='2'] [data-line='2']")
    page.wait_for_selector("[data-system=uct] .small-tree")


def test_a_byo_yomi_clock_runs_and_is_there_after_a_reload(open_page):
    page = open_page()
    page.select_option("[data-choice=clock]", "byo_yomi")
    for name, value in (("minutes", "0"), ("period", "3600"), ("periods", "3")):
        page.fill(f"[data-number={name}]", value)
        page.press(f"[data-number={name}]", "Tab")
    page.select_option("[data-choice=white]", "person")
    page.click("[data-action=new-game]")
    page.wait_for_selector("[data-clock='0']:has-text('×3')")
    play(page, "E5")
    page.wait_for_selector("[data-clock='1']:text-matches('^5[0-9]:')")
    page.reload()
    page.wait_for_selector("[data-clock='1']:text-matches('^5[0-9]:')")
    page.wait_for_selector("[data-clock='0']:text-matches('^1:00:00')")


def test_an_address_carries_the_engine_and_the_step_to_another_person(open_page):
    first = open_page("#/inside?b=5&k=0.5&sys=alphazero&net=tiny&vis=77&mode=steps")
    first.wait_for_selector(".inside[data-engine=alphazero]")
    first.wait_for_selector("[data-simulation='0'][data-known='1']")
    first.click("[data-action=ten-forward]")
    first.wait_for_selector("[data-simulation='10']")
    first.click("[data-phase-button=evaluation]")
    value = first.get_attribute("[data-value]", "data-value")
    second = open_page("#" + address_of(first).partition("#")[2])
    second.wait_for_selector(".inside[data-engine=alphazero]")
    second.wait_for_selector("[data-simulation='10'][data-phase=evaluation]")
    # Two evaluations of one leaf differ by the rounding of the network's precision.
    again = float(second.get_attribute("[data-value]", "data-value"))
    assert again == pytest.approx(float(value), abs=2e-3)
    second.click("[data-panel=play]")
    assert second.input_value("[data-number=visits]") == "77"


def test_a_system_without_a_tree_offers_others_to_look_into(open_page):
    page = open_page("#/inside?sys=alphabeta")
    page.wait_for_selector(".no-tree")
    page.click(".no-tree button:has-text('UCT')")
    page.wait_for_selector("[data-action=analyse]")
