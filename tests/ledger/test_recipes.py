"""Recipes: names for options that go together, and what wins beside them."""

import json

import pytest

from symledger import derive
from symledger.errors import BadInput
from symledger.ledger.conventions import Conventions
from symledger.ledger.recipes import RECIPES, named
from tests.documents import ROOT
from tests.invoke import assert_refuses, run


def options(recipe):
    """The options of the command line that a recipe stands for."""
    found = []
    for name, value in recipe.conventions.items():
        if name == "input_gradient":
            found.append("--no-input-gradient")
        else:
            option = {"frozen": "freeze"}.get(name, name)
            found += [f"--{option}", "".join(value)]
    return found + [word for n, v in recipe.choices.items() for word in ("--set", f"{n}={v}")]


def derived(*arguments):
    """The JSON of a target, without the words for what was asked."""
    found = json.loads(run("derive", *arguments, "--json").out)
    return found["conventions"].pop("recipe", None), found


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("target", [["mini_gpt", "--set", "d=128"], ["llama-2-7b"]])
def test_a_recipe_is_its_options(target, name):
    recipe = RECIPES[name]
    words, found = derived(*target, "--recipe", name)
    assert (None, found) == derived(*target, *options(recipe))
    assert words.startswith(f"{name}: {recipe.meaning} (")
    assert words.endswith(f"); {recipe.source}")


def test_recipes_are_told_apart_and_found_by_what_they_set():
    for name, recipe in RECIPES.items():
        assert named(recipe.conventions, recipe.choices) == name
        assert named(recipe.conventions, {}) in RECIPES  # the same, of a target without choices
        assert Conventions(**recipe.conventions)
    assert named({"dtype": "fp64"}, {}) == ""


def test_every_recipe_stands_in_the_table_of_the_document_with_its_options():
    text = (ROOT / "docs" / "conventions.md").read_text("utf-8")
    for name, recipe in RECIPES.items():
        said = " ".join(options(recipe)).replace("freeze *", 'freeze "*"')
        assert f"| `{name}` | `{said}` | {recipe.source} |" in text


def test_what_inference_trains_and_keeps_is_nothing():
    found = derive("llama-3-8b", recipe="inference-bf16-flash")
    for name in ("flops.backward", "memory.gradients", "memory.optimizer", "memory.saved"):
        assert found[name].value == 0, name
    assert found["memory.training"].value == found["memory.parameters"].value == 2 * 8_030_261_248


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"dtype": "fp16"}, "dtype = bf16 of the recipe gave way to dtype = fp16"),
        ({"optimizer": "sgd"}, "optimizer = adam-mixed of the recipe gave way to optimizer = sgd"),
        ({"set": {"flash": False}}, "flash = true of the recipe gave way to flash = false"),
    ],
)
def test_what_is_said_beside_a_recipe_wins_and_is_said(how, said):
    found = derive("gpt2", recipe="mixed-flash", **how)
    assert found.dropped == (said,)
    assert found.to_dict()["dropped"] == [said]
    plain = derive("gpt2", **{"dtype": "bf16", "optimizer": "adam-mixed", **how,
                              "set": {"flash": True, **how.get("set", {})}})  # fmt: skip
    assert found.conventions == plain.conventions
    assert found["memory.training"].general == plain["memory.training"].general


@pytest.mark.parametrize("beside", [["--dtype", "fp16"], ["--freeze", "token_embedding.E"]])
def test_the_page_of_one_quantity_says_what_won(beside):
    found = run("derive", "gpt2", "--recipe", "inference-bf16", *beside, "--quantity", "params")
    assert "note: " in found.out
    assert "of the recipe gave way to" in found.out


def test_what_agrees_with_a_recipe_gives_way_to_nothing():
    settings = {"flash": "yes", "T": 64}
    assert derive("gpt2", set=settings, dtype="bf16", recipe="bf16-flash").dropped == ()


def test_other_conventions_later_are_said_too():
    found = derive("gpt2", recipe="bf16-flash").under(dtype="fp8")
    assert found.dropped == ("dtype = bf16 of the recipe gave way to dtype = fp8",)
    assert found.subs(T=8).request.recipe == "bf16-flash"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gpt2", "--recipe", "bf16flash"], "bf16flash is not a recipe. Did you mean bf16-flash?"),
        (["gpt2", "--recipe", ""], "--recipe is given nothing: say what"),
        (["linear", "--recipe", "fp16-flash"], "linear has no flash, which the recipe fp16-flash "
         "sets. Without it, that is the recipe fp16."),
        (["gemma2", "--recipe", "mixed-flash-recompute"], "that is the recipe mixed-recompute."),
        (["bert", "--recipe", "mixed-flash", "--set", "flash=maybe"], "is not a choice"),
        (["Linear(2, 3)", "--recipe", "bf16-flash"], r"Linear\(2, 3\) has no flash"),
        (["mamba", "--recipe", "inference-bf16-flash"], "that is the recipe inference-bf16."),
        (["gpt2", "--recipe", "mixed-flash", "--set", "dropout=true"], "choose flash = false"),
    ],
)
def test_refusals(arguments, said):
    assert_refuses("derive", *arguments, said=said)


def test_both_sides_of_a_comparison_follow_a_recipe():
    arguments = ("compare", "gpt2", "llama-2-7b", "--quantity", "memory.training", "--json")
    found = json.loads(run(*arguments, "--recipe", "mixed-flash").out)
    for side in ("left", "right"):
        alone = derive(found[side], {"T": 1024}, recipe="mixed-flash")["memory.training"].value
        assert found["quantities"]["memory.training"]["total"][side]["value"] == str(alone)
    assert found["conventions"]["recipe"].startswith("mixed-flash: ")
    refused = ("compare", "gpt2", "gemma2", "--recipe", "bf16-flash")
    assert_refuses(*refused, said="gemma2 has no flash")


def test_an_unknown_recipe_is_refused_from_python():
    with pytest.raises(BadInput, match="Did you mean fp32"):
        derive("linear", recipe="fp33")


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_the_conventions_of_every_format_state_the_recipe(form):
    found = run("derive", "mini_gpt", "--recipe", "bf16-flash", "--format", form).out
    assert "bf16-flash: values in bf16, fused attention (dtype = bf16, flash = true)" in (
        " ".join(found.split())
    )
