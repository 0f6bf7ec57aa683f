"""What is in memory when, as PyTorch runs it: beside what another instrument measured; mutants.

The numbers are those of a tracker of live storages that shares no code with ours, on the meta
device with PyTorch 2.13.0 (a plain GPT: LayerNorm before, no biases in maps, untied head, fp32).
"""

from dataclasses import replace
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from sympy import Integer, Symbol  # noqa: E402  # after torch is known to be there
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402, N812
from torch.utils.checkpoint import checkpoint  # noqa: E402

from symledger import derive, trace  # noqa: E402
from symledger.errors import BadInput  # noqa: E402
from symledger.traces.writing import dumped  # noqa: E402
from symledger.tracing.assemble import Assembler  # noqa: E402
from symledger.tracing.eager import moments, timeline  # noqa: E402
from symledger.tracing.eager.folding import Insertion, insertions  # noqa: E402
from symledger.tracing.eager.live import FORWARD, GRADIENTS, KEPT, Lived  # noqa: E402
from symledger.tracing.eager.running import TYPES, lived  # noqa: E402
from symledger.tracing.modules.subject import Subject, parse_input  # noqa: E402
from symledger.tracing.spaces.exploring import explored  # noqa: E402
from symledger.tracing.spaces.points import sampled  # noqa: E402
from tests.checks.torch.test_optimizer_steps import Live, made_by  # noqa: E402
from tests.every import COSTLY  # noqa: E402


class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias=False) for _ in range(4))

    def forward(self, x):
        B, T, d = x.shape
        q, k, v = (f(x).view(B, T, self.h, d // self.h).transpose(1, 2)
                   for f in (self.q, self.k, self.v))  # fmt: skip
        y = torch.softmax(q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5), -1) @ v
        return self.o(y.transpose(1, 2).reshape(B, T, -1))


class MLP(nn.Module):
    def __init__(self, d, ff):
        super().__init__()
        self.up, self.down = nn.Linear(d, ff, bias=False), nn.Linear(ff, d, bias=False)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


class Block(nn.Module):
    def __init__(self, d, h, ff):
        super().__init__()
        self.n1, self.attn, self.n2 = nn.LayerNorm(d), Attention(d, h), nn.LayerNorm(d)
        self.mlp = MLP(d, ff)

    def forward(self, x):
        x = x + self.attn(self.n1(x))
        return x + self.mlp(self.n2(x))


class GPT(nn.Module):
    def __init__(self, T=12, d=16, h=2, L=3, V=23, ff=24, again=False):
        super().__init__()
        self.wte, self.wpe, self.again = nn.Embedding(V, d), nn.Embedding(T, d), again
        self.blocks = nn.ModuleList(Block(d, h, ff) for _ in range(L))
        self.nf, self.head = nn.LayerNorm(d), nn.Linear(d, V, bias=False)

    def forward(self, ids, targets):
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.again else block(x)
        z = self.head(self.nf(x))
        return F.cross_entropy(z.view(-1, z.shape[-1]), targets.view(-1))


SIZES = ("B", "T", "d", "h", "L", "V", "ff")
MEASURED = {
    False: [((2, 32, 64, 4, 3, 256, 256), 1_786_120, 1_851_656),
            ((4, 64, 48, 4, 2, 500, 192), 3_661_704, 4_173_704),
            ((2, 16, 96, 4, 4, 50, 384), 2_680_456, 3_690_376),
            ((3, 60, 24, 3, 3, 11, 96), 1_374_248, 1_429_544),
            ((2, 4, 64, 2, 2, 300, 256), 640_232, 1_102_984)],
    True: [((2, 32, 64, 4, 3, 256, 256), 947_464, 1_638_664),
           ((4, 64, 48, 4, 2, 500, 192), 1_654_664, 2_166_664),
           ((2, 16, 96, 4, 4, 50, 384), 1_993_600, 3_690_376),
           ((2, 4, 64, 2, 2, 300, 256), 578_024, 1_102_984)],
}  # fmt: skip
"""Sizes, and the most in the forward and in the backward pass of a first step."""


def looked_at(again):
    arguments = {"T": 12, "d": 16, "h": 2, "L": 3, "V": 23, "ff": 24, "again": again}
    entering = tuple(parse_input(f"{name}: int64 (B, T)") for name in ("ids", "targets"))
    subject = Subject("GPT", "tests", GPT, arguments, lambda v: GPT(**v), entering)
    space = explored(subject)
    return space, Assembler(sampled(space, (), 6))


@pytest.fixture(scope="module")
def plain():
    return looked_at(again=False)


@pytest.fixture(scope="module")
def recomputed():
    return looked_at(again=True)


@pytest.fixture(scope="module")
def once():
    """Runs every point once, whatever is made of it."""
    known = {}

    def run(space, at, how):
        key = tuple(at.items()), how
        if key not in known:
            known[key] = lived(space, at, how)
        return known[key]

    return run


def eager(space, assembler, point):
    return moments.eager(moments.Looking(space, assembler, 1, {}, [point]))


def at(space, sizes):
    return {**space.base, **dict(zip(SIZES, sizes, strict=True))}


@pytest.mark.parametrize("again", [False, True])
def test_peaks_are_what_was_measured(again, request):
    """At sizes and depths that nothing was fitted on, with and without blocks run again."""
    space, assembler = request.getfixturevalue("recomputed" if again else "plain")
    (found, _), check = eager(space, assembler, at(space, MEASURED[again][0][0]))
    assert check.passed, check.detail
    for sizes, forward, backward in MEASURED[again]:
        values = {Symbol(n): Integer(v) for n, v in at(space, sizes).items()}
        for way, known in (("forward", forward), ("backward", backward)):
            most = max(sum(m.bytes.values()).xreplace(values)
                       for m in found.moments if m.way == way)  # fmt: skip
            assert most == known


def test_rounds_are_found_where_a_deeper_module_runs_more():
    assert insertions("abcbcd", "abcbcbcd") == [Insertion(5, 2)]
    assert insertions("axxbyyc", "axxxbyyyc") == [Insertion(3, 1), Insertion(6, 1)]
    with pytest.raises(BadInput, match="equal rounds"):
        insertions("abcd", "abxcd")


def gone_after(changes, storage, place):
    """The same operations, a storage gone with another one of them."""
    rest = [replace(c, gone=[s for s in c.gone if s is not storage]) for c in changes]
    rest[place] = replace(rest[place], gone=[*rest[place].gone, storage])
    return rest


def born(changes, kind):
    return [(i, s) for i, c in enumerate(changes) for s in c.born if s.kind == kind]


def names_are_forgotten(changes):
    """A value is gone as soon as the next operation has read it, whoever names it."""
    for i, s in born(changes, "working"):
        if changes[i].way == FORWARD:
            changes = gone_after(changes, s, i + 1)
    return changes


def saved_tensors_stay(changes):
    """What a node has saved stays to the end of the backward pass."""
    for _, s in born(changes, KEPT):
        changes = gone_after(changes, s, len(changes) - 1)
    return changes


def gradients_come_late(changes):
    """Gradients of weights are added up at the end."""
    late = [s for _, s in born(changes, GRADIENTS)]
    rest = [replace(c, born=[s for s in c.born if s not in late]) for c in changes]
    rest[-1] = replace(rest[-1], born=[*rest[-1].born, *late])
    return rest


def reshape_never_copies(changes):
    """Copies that ``reshape`` makes are views."""
    copies = [s for c in changes if c.operation == "aten.clone" for s in c.born]
    return [
        replace(c, born=[s for s in c.born if s not in copies],
                gone=[s for s in c.gone if s not in copies]) for c in changes
    ]  # fmt: skip


def views_own(changes):
    """A view has a storage of its own."""
    return [
        replace(c, born=list(changes[0].born)) if c.operation == "aten.transpose" else c
        for c in changes
    ]


@COSTLY(3)
@pytest.mark.parametrize("mutant", [
    names_are_forgotten, saved_tensors_stay, gradients_come_late, reshape_never_copies, views_own,
])  # fmt: skip
def test_a_wrong_rule_of_liveness_is_found(mutant, plain, once, monkeypatch):
    space, assembler = plain

    def wrong(*given):
        run = once(*given)
        return Lived(run.at, mutant(run.changes))

    monkeypatch.setattr(timeline, "lived", wrong)
    found, check = eager(space, assembler, space.base)
    assert not found
    assert not check.passed
    assert check.detail


def test_a_round_too_many_is_found(plain, once, monkeypatch):
    space, assembler = plain
    original = timeline._run
    monkeypatch.setattr(timeline, "lived", once)

    def wrong(*given):
        run = original(*given)
        return replace(run, times=run.times + 1)

    monkeypatch.setattr(timeline, "_run", wrong)
    assert not eager(space, assembler, space.base)[1].passed


class Adapted(nn.Module):
    """A map as peft adapts it: `lora.Linear` of peft, without dropout."""

    def __init__(self, i, o, r):
        super().__init__()
        self.base_layer = nn.Linear(i, o)
        self.base_layer.requires_grad_(False)
        self.lora_A, self.lora_B = nn.Linear(i, r, bias=False), nn.Linear(r, o, bias=False)
        self.scaling = 2.0

    def forward(self, x):
        result = self.base_layer(x)
        return result + self.lora_B(self.lora_A(x)) * self.scaling


class Two(nn.Module):
    def __init__(self, d=6, f=9):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(d, f), nn.GELU(), nn.Linear(f, d))

    def forward(self, x):
        return self.layers(x).sum()


class TwoAdapted(Two):
    def __init__(self, d=6, f=9, r=2):
        super().__init__(d, f)
        self.layers = nn.Sequential(Adapted(d, f, r), nn.GELU(), Adapted(f, d, r))


@pytest.fixture(scope="module")
def two():
    return trace(Two, inputs="x: float (B, d)", schedule="eager")


def most_of_a_step(optimizer, way, make, sizes, steps, batches=1, dtype=torch.float32):
    """The most in memory in each part of a whole step of training, of several the last."""
    module, live, found = make(sizes["d"], sizes["f"]).to("meta", dtype), Live(), []
    (made,) = made_by(optimizer, Trained(module), way)
    with live:
        for t in (*module.parameters(), *(t for s in made.state.values() for t in s.values())):
            live.add(t)
        for _ in range(steps):
            for _ in range(batches):
                x = torch.zeros(sizes["B"], sizes["d"], device="meta", requires_grad=True,
                                dtype=dtype)  # fmt: skip
                live.add(x)
                parts = []
                loss = parted(live, parts, lambda x=x: module(x))
                parted(live, parts, loss.backward)
                del loss
            parted(live, parts, made.step)
            module.zero_grad()
            found, x = parts, None
    return found


class Trained:
    """What an optimizer is given of a module: the weights that are trained."""

    def __init__(self, module):
        self.module = module

    def parameters(self):
        return [p for p in self.module.parameters() if p.requires_grad]


def parted(live, parts, run):
    """Run a part, and note the most there is in it."""
    live.most = 0
    made = run()
    parts.append(live.most)
    return made


@pytest.mark.parametrize("sizes", [{"B": 3, "d": 64, "f": 48}, {"B": 500, "d": 7, "f": 11}])
@pytest.mark.parametrize("optimizer", ["adamw", "adadelta", "sgd"])
@pytest.mark.parametrize("way", ["foreach", "single"])
def test_a_whole_step_is_what_pytorch_has_in_memory(two, sizes, optimizer, way):
    """In one the passes are the most, in the other the optimizer's step."""
    for first in (True, False):
        account = two.under(optimizer=optimizer, step=way, first=first, counters=True).subs(sizes)
        each = [account[f"memory.peak.{part}"].value for part in ("forward", "backward", "step")]
        assert each == most_of_a_step(optimizer, way, Two, sizes, 1 if first else 3)
        assert account["memory.peak.train"].value == max(each)


@pytest.mark.parametrize("sizes", [{"B": 3, "d": 64, "f": 48}, {"B": 500, "d": 7, "f": 11}])
@pytest.mark.parametrize(("said", "run"), [
    ({"accumulate": True}, {"batches": 3}), ({"dtype": "bf16"}, {"dtype": torch.bfloat16}),
    ({"accumulate": True, "dtype": "fp16"}, {"batches": 2, "dtype": torch.float16}),
])  # fmt: skip
def test_a_step_that_is_run_otherwise_is_looked_at_when_it_is_asked_for(two, said, run, sizes):
    account = two.under(optimizer="adamw", step="foreach", counters=True, **said).subs(sizes)
    each = [account[f"memory.peak.{part}"].value for part in ("forward", "backward", "step")]
    assert each == most_of_a_step("adamw", "foreach", Two, sizes, 3, **run)


def test_adapters_are_what_peft_has_in_memory():
    """Products of both ways, and gradients, states and steps of the adapters alone."""
    made = trace(TwoAdapted, inputs="x: float (B, d)", schedule="eager")
    for sizes in ({"B": 3, "d": 64, "f": 48}, {"B": 500, "d": 7, "f": 11}):
        account = made.under(optimizer="adamw", step="foreach", counters=True)
        there = account.subs({**sizes, "r": 2})
        each = [there[f"memory.peak.{part}"].value for part in ("forward", "backward", "step")]
        assert each == most_of_a_step("adamw", "foreach", TwoAdapted, sizes, 3)


class Mixed(Two):
    def __init__(self, d=6, f=9):
        super().__init__(d, f)
        self.layers[0].half()

    def forward(self, x):
        return self.layers[2](self.layers[0](x.half()).float()).sum()


def test_weights_of_several_types_are_refused():
    made = trace(Mixed, inputs="x: float (B, d)", schedule="eager")
    with pytest.raises(BadInput, match="not all weights of the module are in fp32"):
        made["memory.peak.train"]


def test_by_hand(tmp_path, two):
    """Of two maps: what enters, both weights, what is kept; and what is refused by name."""
    account = two
    found = account["memory.peak.forward"]
    weights, states = "4*(2*d*f + d + f)", "8*(2*d*f + d + f)"
    kept = "4*B*d + 2*4*B*f + 4*B*d + 4"  # x, before and after GELU, the output, its sum
    assert found.to_dict()["schedule"] == "eager"
    sizes = {"B": 5, "d": 7, "f": 11}
    by_hand = sum(eval(text, {}, sizes) for text in (weights, states, kept))  # noqa: S307  # ours
    assert account.subs(sizes)["memory.peak.forward"].value == by_hand
    with pytest.raises(BadInput, match="B = 1"):
        account.subs({"B": 1})["memory.peak.forward"]
    with pytest.raises(BadInput, match="no other type of gradients"):
        account.under(gradients="bf16")["memory.peak.forward"]
    with pytest.raises(BadInput, match="builds no module in fp8"):
        account.under(dtype="fp8")["memory.peak.forward"]
    with pytest.raises(BadInput, match="takes no past_key_values"):
        account["memory.peak.decode"]
    with pytest.raises(BadInput, match="linear was not observed"):
        derive("linear", schedule="eager")["memory.peak.train"]
    saved = tmp_path / "two.trace.json"
    saved.write_text(dumped(account.target.traced))
    assert derive(str(saved), schedule="eager")["memory.peak.forward"].expr == found.expr
    with pytest.raises(BadInput, match="not looked at what is in memory with --accumulate"):
        derive(str(saved), schedule="eager", accumulate=True)["memory.peak.forward"]
    plain = derive(str(saved), schedule="eager", input_gradient=False)["memory.peak.backward"]
    assert plain.expr != account["memory.peak.backward"].expr
    damaged = saved.read_text().replace('"kept"', '"lost"')
    saved.write_text(damaged)
    with pytest.raises(BadInput, match="cannot be read as a trace"):
        derive(str(saved), schedule="eager")


class OverTime(nn.Module):
    def __init__(this, d=4, f=3):  # noqa: N805  # not everybody says self
        super().__init__()
        this.cell, this.f = nn.GRUCell(d, f), f

    def forward(this, x):  # noqa: N805
        h = x.new_zeros(x.shape[0], this.f)
        for t in range(x.shape[1]):
            h = this.cell(x[:, t], h)
        return h.sum()


def test_a_loop_over_time_is_refused_as_what_it_is():
    made = trace(OverTime, inputs="x: float (B, T, d)", schedule="eager")
    with pytest.raises(BadInput, match=r"operations run at T = \d+, .* loops over a length"):
        made["memory.peak.train"]


class Pairs(nn.Module):
    """Every second layer's input is kept; of an odd number the last one is alone."""

    def __init__(self, d=6, L=3):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(d, d) for _ in range(L))

    def forward(self, x):
        for i in range(0, len(self.layers), 2):
            x = checkpoint(lambda x, i=i: [x := l(x).relu() for l in self.layers[i : i + 2]][-1],  # noqa: E741
                           x, use_reentrant=False)  # fmt: skip
        return x.sum()


def test_layers_that_are_run_again_together_are_rounds_of_several():
    made = trace(Pairs, inputs="x: float (B, d)", schedule="eager")
    for sizes in ({"B": 3, "d": 64, "L": 5}, {"B": 500, "d": 7, "L": 9}):
        there = made.under(optimizer="adamw", step="single", counters=True).subs(sizes)
        each = [there[f"memory.peak.{part}"].value for part in ("forward", "backward", "step")]
        assert each == most_of_a_step("adamw", "single", Pairs, {**sizes, "f": sizes["L"]}, 3)
    with pytest.raises(BadInput, match=r"at every 2th depth"):
        made.subs({"L": 4})["memory.peak.forward"]


class Cores(nn.Module):
    """The core of attention alone is run again: first and last rounds differ from those between."""

    def __init__(self, d=6, L=2):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(d, 3 * d) for _ in range(L))

    def forward(self, x):
        for layer in self.layers:
            q, k, v = layer(x).chunk(3, -1)
            x = x + checkpoint(lambda q, k, v: (q @ k.mT).softmax(-1) @ v, q, k, v,
                               use_reentrant=False)  # fmt: skip
        return x.sum()


def test_a_module_too_shallow_for_rounds_is_looked_at_as_it_is(tmp_path):
    made = trace(Cores, inputs="x: float (B, d)", schedule="eager").under(optimizer="sgd")
    for sizes in ({"B": 30, "d": 7, "L": 2}, {"B": 3, "d": 64, "L": 1}, {"B": 9, "d": 5, "L": 6}):
        there = made.subs(sizes)
        each = [there[f"memory.peak.{part}"].value for part in ("forward", "backward", "step")]
        run = most_of_a_step("sgd", "foreach", Cores, {**sizes, "f": sizes["L"]}, 1)
        assert each == run
    assert made["memory.peak.train"].to_dict()["holds_where"] == ["L == 2"]
    saved = tmp_path / "cores.trace.json"
    saved.write_text(dumped(made.target.traced))
    read = derive(str(saved), schedule="eager", optimizer="sgd")
    assert read["memory.peak.train"].expr == made["memory.peak.train"].expr
    with pytest.raises(BadInput, match="L = 2 alone"):
        derive(str(saved), {"L": 3}, schedule="eager")["memory.peak.train"]


class Constant(Two):
    """What is made of numbers is in memory too, though no operator makes it."""

    def forward(self, x):
        scale = torch.tensor([0.5, 1.5, 2.5], device=x.device)
        return super().forward(x) * scale.sum()


def test_tensors_that_are_made_of_numbers_are_in_memory():
    made = trace(Constant, inputs="x: float (B, d)", schedule="eager").under(optimizer="sgd")
    plain = trace(Two, inputs="x: float (B, d)", schedule="eager").under(optimizer="sgd")
    sizes = {"B": 500, "d": 7, "f": 11}
    more, less = (a.subs(sizes)["memory.peak.forward"].value for a in (made, plain))
    assert more - less == 12


class Remembers(nn.Module):
    """A layer that keeps keys and values where it is given something to keep them in."""

    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(d, d, bias=False) for _ in range(3))

    def forward(self, x, kept):
        k, v = self.k(x), self.v(x)
        if kept is not None:
            k, v = (torch.cat((a, b), 1) if a is not None else b
                    for a, b in ((kept.keys, k), (kept.values, v)))  # fmt: skip
            kept.keys, kept.values = k, v
        return x + torch.softmax(self.q(x) @ k.transpose(1, 2), -1) @ v


class Remembering(nn.Module):
    def __init__(self, d=6, V=11, L=3):
        super().__init__()
        self.table, self.head = nn.Embedding(V, d), nn.Linear(d, V)
        self.layers = nn.ModuleList(Remembers(d) for _ in range(L))

    def forward(self, ids, past_key_values=None, use_cache=False):
        past = past_key_values
        if past is None and use_cache:
            past = SimpleNamespace(
                layers=[SimpleNamespace(keys=None, values=None) for _ in self.layers]
            )
        x = self.table(ids)
        for i, layer in enumerate(self.layers):
            x = layer(x, past.layers[i] if past else None)
        return {"logits": self.head(x), "past_key_values": past}


def most_served(sizes, dtype):
    """The most in memory while a prompt is read, and while the last token is decoded."""
    module = Remembering(sizes["d"], sizes["V"], sizes["L"]).to("meta", dtype)
    live, found, B = Live(), [], sizes["B"]
    with torch.no_grad(), live:
        for w in module.parameters():
            live.add(w)
        ids = torch.zeros(B, sizes["T"], dtype=torch.long, device="meta")
        live.most = 0
        made = module(ids, use_cache=True)
        found.append(live.most)
        del made, ids
        ids = torch.zeros(B, sizes["T"] - 1, dtype=torch.long, device="meta")
        past = module(ids, use_cache=True)["past_key_values"]
        del ids
        ids = torch.zeros(B, 1, dtype=torch.long, device="meta")
        live.most = 0
        module(ids, past, use_cache=True)
        return [*found, live.most]


@pytest.fixture(scope="module")
def remembering():
    return trace(Remembering, inputs="ids: int64 (B, T)", schedule="eager")


@pytest.mark.parametrize("sizes", [{"B": 3, "T": 9, "d": 8, "V": 5, "L": 2},
                                   {"B": 2, "T": 40, "d": 5, "V": 300, "L": 7}])  # fmt: skip
@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_prompts_are_read_and_tokens_decoded_as_pytorch_does(remembering, sizes, dtype):
    account = remembering.under(dtype=dtype).subs(sizes)
    shown = [account[f"memory.peak.{way}"].value for way in ("prefill", "decode")]
    assert shown == most_served(sizes, TYPES[dtype])


def test_what_keeps_nothing_decodes_nothing(two):
    assert two["memory.peak.prefill"].value is not None
    with pytest.raises(BadInput, match="takes no past_key_values"):
        two["memory.peak.decode"]
