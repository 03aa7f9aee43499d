"""Several planners at once on an event loop: the same promises, with real services."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import pytest
import pytest_asyncio
from real_service import ADA, RealService

from execution_planner import AsyncPlanner, Refused, Unreachable, executable
from execution_planner.async_many_offers import AsyncManyOffers, AsyncOfferOfMany
from execution_planner.async_planners import AsyncPlanners
from execution_planner.gathering import gathered
from execution_planner.many_offers import ManyOffers, OfferOfMany
from execution_planner.many_view import PlannersWarning
from execution_planner.planners import Planners

TASK = executable("echo", "here")


class Switch(httpx.AsyncBaseTransport):
    """The network of a planner: slow, or away, when a test wants that."""

    def __init__(self) -> None:
        self.network = httpx.AsyncHTTPTransport(verify=False)
        self.is_away = False
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.is_away:
            raise httpx.ConnectError("the cable is cut")
        response = await self.network.handle_async_request(request)
        await self.may_answer.wait()
        return response


@pytest_asyncio.fixture
async def switch() -> Switch:
    return Switch()


@pytest_asyncio.fixture
async def both(
    service: RealService, second: RealService, switch: Switch
) -> AsyncIterator[AsyncPlanners]:
    """A large and a small planner; the network of the small one can be switched."""
    async with AsyncPlanners([
        AsyncPlanner(service.url, token=ADA),
        AsyncPlanner(second.url, token=ADA, transport=switch, retries=0),
    ], timeout=60) as planners:  # fmt: skip
        yield planners


async def test_check_offers_and_calendar_are_those_of_each_planner(
    both: AsyncPlanners, switch: Switch
) -> None:
    large, little = both.names
    answers = await both.check(TASK, cores=8)
    assert answers and answers[large] and not answers[little]
    assert not await both.check(TASK, cores=64)
    for open_ones in (await both.offers()).values():
        await open_ones.reject()
    async with await both.ask(TASK) as asked:
        offers = await both.offers()
        assert {name: {offer.id for offer in of} for name, of in offers.items()} == {
            name: {offer.id for offer in of} for name, of in asked.by_planner.items()
        }
    assert [len(one) for one in (await both.calendar()).values()] == [
        len(await planner.calendar()) for planner in both
    ]
    switch.is_away = True
    assert "the cable is cut" in (await both.check(TASK)).notes[0]
    with pytest.warns(PlannersWarning, match="the cable is cut") as warned:
        assert list(await both.calendar()) == [large]
    mine = [one.filename for one in warned if issubclass(one.category, PlannersWarning)]
    assert mine == [__file__]


async def eventually(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait for something that another task or the service does."""
    until = time.monotonic() + 60
    while not await holds():
        assert time.monotonic() < until, "it did not happen"
        await asyncio.sleep(0.05)


async def states(planner: AsyncPlanner, offers: Any) -> set[str]:
    return {(await planner.offer(offer.id)).status for offer in offers}


async def test_one_is_accepted_and_all_others_are_given_back(both: AsyncPlanners) -> None:
    offers = await both.ask(TASK)
    large, little = (offers.by_planner[name] for name in both.names)
    assert len(repr(offers).splitlines()) == 5
    chosen = next(offer for offer in offers if offer.planner == both.names[1])
    job = await chosen.accept()
    assert (await job.wait(120)).phase == "COMPLETED"
    assert await states(both[0], large) == {"REJECTED"}
    assert await states(both[1], [o for o in little if o.id != chosen.id]) == {"REJECTED"}
    assert offers.notes == []


async def test_leaving_the_block_gives_everything_back(both: AsyncPlanners) -> None:
    async with await both.ask(TASK) as offers:
        pass
    for name, planner in zip(both.names, both, strict=True):
        assert await states(planner, offers.by_planner[name]) == {"REJECTED"}


async def test_a_no_and_an_absence_are_notes_unless_nobody_says_yes(
    both: AsyncPlanners, switch: Switch
) -> None:
    async with await both.ask(TASK, cores=8) as offers:
        assert offers.notes[0].startswith(f"{both.names[1]}: NO: ")
    with pytest.raises(Refused, match="No planner says YES"):
        await both.ask(TASK, cores=64)
    switch.is_away = True
    async with await both.ask(TASK) as offers:
        assert offers.notes[0].endswith("the cable is cut")
    with pytest.raises(Unreachable, match="No planner answers"):
        await AsyncPlanners([AsyncPlanner("http://127.0.0.1:9", retries=0)]).ask(TASK)


async def test_a_slow_planner_does_not_hold_back_and_its_late_offers_are_given_back(
    both: AsyncPlanners, switch: Switch
) -> None:
    async with AsyncPlanner(both[1].url, token=ADA) as watching:
        known = {offer.id for offer in await watching.offers(status=None)}

        async def are(status: str) -> bool:
            offers = await watching.offers(status=status)
            return len([offer for offer in offers if offer.id not in known]) == 2

        begun = time.monotonic()
        await (await both[0].ask(TASK)).reject()
        # As long as this machine needs now for many asks.
        enough = 2 + round(20 * (time.monotonic() - begun))
        switch.may_answer.clear()
        async with await both.ask(TASK, timeout=enough) as offers:
            assert offers.notes == [f"{both.names[1]}: no answer within {enough} s"]
            await eventually(lambda: are("OFFERED"))
            switch.may_answer.set()
            await eventually(lambda: are("REJECTED"))


async def test_offers_of_an_ask_that_was_cancelled_are_given_back(
    both: AsyncPlanners, switch: Switch
) -> None:
    before = {offer.id for offer in await both[0].offers(status=None)}
    switch.may_answer.clear()
    asking = asyncio.ensure_future(both.ask(TASK))

    async def offered() -> bool:
        return len({offer.id for offer in await both[0].offers()} - before) == 2

    await eventually(offered)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    async def given_back() -> bool:
        rejected = {offer.id for offer in await both[0].offers(status="REJECTED")}
        return len(rejected - before) == 2

    await eventually(given_back)
    switch.may_answer.set()


async def test_what_cannot_be_given_back_is_said_and_the_job_runs(
    both: AsyncPlanners, switch: Switch
) -> None:
    offers = await both.ask(TASK)
    chosen = next(offer for offer in offers if offer.planner == both.names[0])
    switch.is_away = True
    with pytest.warns(PlannersWarning, match="the cable is cut") as warned:
        job = await chosen.accept()
    said = [one for one in warned if one.category is PlannersWarning]
    assert [one.filename for one in said] == [__file__]
    assert (await job.wait(120)).phase == "COMPLETED"


async def test_jobs_of_all_planners_come_newest_first(both: AsyncPlanners, switch: Switch) -> None:
    made = []
    for name in (both.names[0], both.names[1], both.names[0]):
        offers = await both.ask(executable("true"), name="loop")
        made.append(await next(o for o in offers if o.planner == name).accept())
    found = [job.id async for job in both.jobs(name="loop")]
    assert found == [job.id for job in reversed(made)]
    assert [job.id async for job in both.jobs(name="loop", limit=2)] == found[:2]
    assert (await both.job(made[1].id)).url == (await both.job(made[1].url)).url
    switch.is_away = True
    with pytest.warns(PlannersWarning, match="the cable is cut"):
        assert len([job async for job in both.jobs(name="loop")]) == 2


async def test_calls_that_are_late_are_left_out_and_handed_over_afterwards() -> None:
    go = asyncio.Event()
    late: list[int] = []

    async def slow() -> int:
        await go.wait()
        return 1

    async def broken() -> int:
        raise ValueError("no")

    async def keep(value: int) -> None:
        late.append(value)

    async def kept() -> bool:
        return late == [1]

    found = await gathered({"a": slow, "c": broken}, 0.2, late=keep)
    assert list(found) == ["c"] and str(found["c"].error) == "no"
    go.set()
    await eventually(kept)


@pytest.mark.parametrize("sync, on_loop", [
    (Planners, AsyncPlanners), (ManyOffers, AsyncManyOffers), (OfferOfMany, AsyncOfferOfMany),
])  # fmt: skip
def test_the_sync_and_the_async_class_have_the_same_words(sync: Any, on_loop: Any) -> None:
    def words(kind: Any) -> dict[str, list[tuple[str, Any, Any]]]:
        return {
            name.replace("__a", "__"): [(p.name, p.kind, p.default)
                                       for p in inspect.signature(value).parameters.values()]
            for name, value in vars(kind).items()
            if inspect.isfunction(value) and (not name.startswith("_") or name.endswith("r__"))
        }  # fmt: skip

    assert words(sync) == words(on_loop)
