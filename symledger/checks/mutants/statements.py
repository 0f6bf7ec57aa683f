"""Wrong statements that are common in the field, each put where a formula belongs.

They are what counters, articles and answers say: head widths tied to d/h, tied tables counted
twice, biases and factors lost. The check of the quantity has to refuse them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from sympy import Expr

from symledger.accounts.account import derive
from symledger.algebra.parsing import parse_expression
from symledger.checks import substitution
from symledger.checks.counted import forward_and_backward
from symledger.checks.mutants.mutant import SURVIVED, Mutant
from symledger.checks.runner import BYTES
from symledger.checks.sampling import sizes_for
from symledger.checks.saved_set import saved_set
from symledger.checks.trial import Trial
from symledger.readings.pullback import pullback
from symledger.sizes import BY_NAME


@dataclass(frozen=True)
class Statement:
    """What is said about a quantity of a target: the error, and the formula that has it.

    ``options`` are choices of the target, as in ``"bias=true"``.
    """

    error: str
    target: str
    quantity: str
    formula: str
    options: str = ""


def mutants() -> Iterator[Mutant]:
    """Yield every wrong statement."""
    for statement in STATEMENTS:
        name = f"{statement.target}.{statement.quantity} = {statement.formula}: {statement.error}"
        yield Mutant("wrong statement", name, partial(refused, statement))


def refused(statement: Statement) -> str:
    """Return the kind of the check that refuses a statement; SURVIVED where it is right."""
    options = dict(part.split("=") for part in statement.options.split())
    account = derive(statement.target, options)
    program = account.program
    back = pullback(program)
    trials = [Trial(program, back, sizes_for(program, i), i) for i in range(2)]
    small = [Trial(program, back, sizes_for(program, i, distinct=False), i) for i in range(3)]
    formula: Expr = parse_expression(statement.formula, {**BY_NAME, **account.symbols})
    match statement.quantity:
        case "params":
            found = substitution.parameters(trials, formula)
        case "params.active":
            found = substitution.active(trials, formula)
        case "memory.kv_cache":
            found = substitution.state(trials, formula, BYTES)
        case "memory.saved":
            found = saved_set(trials[0], formula, BYTES)
        case flops:
            (found,) = forward_and_backward(small, {flops: formula})
    return SURVIVED if found.passed else found.kind


HEADS = "d*h*d_k + d*h_kv*d_k + d*h_kv*d_v + h*d_v*d"

STATEMENTS = (
    Statement("the bias is forgotten", "linear", "params", "d_in*d_out"),
    Statement("the bias is as long as the input", "linear", "params", "d_in*d_out + d_in"),
    Statement("key and value widths from the query heads", "attention", "params",
              "2*d*h*d_k + 2*d*h*d_v"),
    Statement("only the values' width from the query heads", "attention", "params",
              "d*h*d_k + d*h_kv*d_k + 2*d*h*d_v"),
    Statement("head width tied to d/h", "attention", "params", "4*d**2"),
    Statement("grouped heads of width d/h", "attention", "params", "2*d**2 + 2*d**2*h_kv/h"),
    Statement("W_O is d by d", "attention", "params",
              "d*h*d_k + d*h_kv*d_k + d*h_kv*d_v + d**2"),
    Statement("W_O is forgotten", "attention", "params", "d*h*d_k + d*h_kv*d_k + d*h_kv*d_v"),
    Statement("every head has three maps of its own from d to d", "attention", "params",
              "3*h*(d**2 + d)", "bias=true"),
    Statement("the bias of the values is as long as the keys'", "attention", "params",
              f"{HEADS} + h*d_k + 2*h_kv*d_k + h_kv*d_v + d", "bias=true"),
    Statement("biases are forgotten", "attention", "params", HEADS, "bias=true"),
    Statement("the bias of W_O is forgotten", "attention", "params",
              f"{HEADS} + h*d_k + h_kv*d_k + h_kv*d_v", "bias=true"),
    Statement("the hidden width is always 4d", "feed_forward", "params", "8*d**2 + 5*d"),
    Statement("a feed-forward network of four maps", "feed_forward", "params",
              "4*d*d_ff + 2*d_ff + 2*d"),
    Statement("biases of twice d", "feed_forward", "params", "2*d*d_ff + 2*d"),
    Statement("the gate is forgotten", "gated_feed_forward", "params", "2*d*d_ff"),
    Statement("RMSNorm has a shift", "rms_norm", "params", "2*d"),
    Statement("LayerNorm has no shift", "layer_norm", "params", "d"),
    Statement("a norm has a weight for each token", "layer_norm", "params", "2*T*d"),
    Statement("a tied table counts twice", "tied_embedding", "params", "2*V*d"),
    Statement("sinusoids are learned", "sinusoidal_positions", "params", "T*d"),
    Statement("one layer for the whole model", "mini_gpt", "params",
              "V*d + 4*d*d_h*h + 2*d*d_ff + 3*d"),
    Statement("the norms of the blocks lost to rounding", "mini_gpt", "params",
              "V*d + L*(4*d*d_h*h + 2*d*d_ff) + d"),
    Statement("the final norm is forgotten", "mini_gpt", "params",
              "V*d + L*(4*d*d_h*h + 2*d*d_ff + 2*d)"),
    Statement("all experts of which k are used", "mixture_of_experts", "params.active",
              "3*E*d*d_ff + d*E"),
    Statement("experts alone, without the router", "mixture_of_experts", "params",
              "3*E*d*d_ff"),
    Statement("k experts for all of them", "mixture_of_experts", "params",
              "3*k*d*d_ff + d*E"),
    Statement("one bias for each gate", "lstm", "params",
              "4*d_s*(d_in + d_s + 1) + (L - 1)*4*d_s*(2*d_s + 1)"),
    Statement("three gates of four", "lstm", "params",
              "3*d_s*(d_in + d_s + 2) + (L - 1)*3*d_s*(2*d_s + 2)"),
    Statement("every layer reads the input's width", "gru", "params",
              "3*L*d_s*(d_in + d_s + 2)"),
    Statement("both directions read one direction's width", "rnn", "params",
              "2*L*d_s*(d_in + d_s + 2)", "bidirectional=true"),
    Statement("groups do not divide the kernel", "conv2d", "params",
              "C_in*C_out*K_h*K_w + C_out"),
    Statement("groups divide twice", "conv2d", "params", "C_in*C_out*K_h*K_w/G**2 + C_out"),
    Statement("the bias of a convolution is as long as the input", "conv2d", "params",
              "C_in*C_out*K_h*K_w/G + C_in"),
    Statement("running averages are parameters", "batch_norm", "params", "4*C"),
    Statement("cross-attention adds nothing", "pre_ln_decoder_block", "params",
              "2*d*h*d_k + d*h_kv*d_k + d*h_kv*d_v"),
    Statement("the frozen weight is trained as well", "lora_linear", "params",
              "d_in*d_out + d_r*(d_in + d_out) + d_out + d_r"),
    Statement("12Ld² alone", "mini_gpt", "params", "12*L*d**2"),
    Statement("a tied head counts again", "mini_gpt", "params",
              "2*V*d + L*(4*d*d_h*h + 2*d*d_ff + 2*d) + d"),
    Statement("an untied head is taken for tied", "llama", "params",
              "V*d + L*(2*d*d_h*h + 2*d*d_h*h_kv + 3*d*d_ff + 2*d) + d"),
    Statement("key and value widths from the query heads", "llama", "params",
              "2*V*d + L*(4*d*d_h*h + 3*d*d_ff + 2*d) + d"),
    Statement("a feed-forward network without a gate", "llama", "params",
              "2*V*d + L*(2*d*d_h*h + 2*d*d_h*h_kv + 2*d*d_ff + 2*d) + d"),
    Statement("positions are forgotten", "gpt2", "params",
              "V*d + L*(4*d*d_h*h + 3*h*d_h + 2*d*d_ff + d_ff + 6*d) + 2*d"),
    Statement("multiply-adds for FLOPs", "linear", "flops.forward", "B*d_in*d_out"),
    Statement("the bias is a product", "linear", "flops.forward", "2*B*(d_in + 1)*d_out"),
    Statement("no batch", "linear", "flops.forward", "2*d_in*d_out"),
    Statement("backward as much as forward", "linear", "flops.backward", "2*B*d_in*d_out"),
    Statement("three times forward", "linear", "flops.backward", "6*B*d_in*d_out"),
    Statement("an addition for each bias and input", "linear", "flops.forward.pointwise",
              "B*d_in*d_out"),
    Statement("causal pairs are halved", "dot_product_attention", "flops.forward",
              "B*T*S*h*(d_k + d_v)", "causal=true"),
    Statement("scores alone", "dot_product_attention", "flops.forward", "2*B*T*S*h*d_k"),
    Statement("a length is lost", "dot_product_attention", "flops.forward",
              "2*B*T*h*(d_k + d_v)"),
    Statement("the work of key/value heads only", "dot_product_attention", "flops.forward",
              "2*B*T*S*h_kv*(d_k + d_v)"),
    Statement("the fused kernel is not counted", "flash_attention", "flops.forward", "0*B"),
    Statement("recomputed scores are free", "flash_attention", "flops.backward",
              "4*B*T*S*h*(d_k + d_v)"),
    Statement("attention without its pairs", "self_attention", "flops.forward",
              "2*B*T*(d*h*d_k + d*h_kv*d_k + d*h_kv*d_v + h*d_v*d)"),
    Statement("keys and values are mapped from queries' length", "attention", "flops.forward",
              f"2*B*T*({HEADS}) + 2*B*T*S*h*(d_k + d_v)"),
    Statement("a lookup is a product", "token_embedding", "flops.forward", "2*B*T*V*d"),
    Statement("the lookup of a tied table is a product too", "tied_embedding", "flops.forward",
              "4*B*T*V*d"),
    Statement("the head is dropped", "tied_embedding", "flops.forward", "0*B"),
    Statement("the head for the last position only", "lm_head", "flops.forward", "2*B*V*d"),
    Statement("the head is dropped", "mini_gpt", "flops.forward",
              "2*B*T*L*(4*d*d_h*h + 2*d*d_ff) + 4*B*L*T**2*d_h*h"),
    Statement("one layer for the whole model", "mini_gpt", "flops.forward",
              "2*B*T*(4*d*d_h*h + 2*d*d_ff) + 4*B*T**2*d_h*h + 2*B*T*V*d"),
    Statement("2 for each parameter and token", "mini_gpt", "flops.forward",
              "2*B*T*(V*d + L*(4*d*d_h*h + 2*d*d_ff + 2*d) + d)"),
    Statement("a convolution at every pixel of the input", "conv2d", "flops.forward",
              "2*B*H*W*C_in*C_out*K_h*K_w/G"),
    Statement("counters ignore groups", "conv2d", "flops.forward",
              "2*B*H_o*W_o*C_in*C_out*K_h*K_w"),
    Statement("one multiply-add counts 1", "conv1d", "flops.forward",
              "B*T_o*C_in*C_out*K/G"),
    Statement("one step for the whole sequence", "gru", "flops.forward",
              "6*B*d_s*(d_in + d_s + (L - 1)*2*d_s)"),
    Statement("experts are not counted", "mixture_of_experts", "flops.forward",
              "2*B*T*d*E"),
    Statement("all experts work on every token", "mixture_of_experts", "flops.forward",
              "2*B*T*(3*E*d*d_ff + d*E)"),
    Statement("norms are free of work", "layer_norm", "flops.forward.pointwise", "0*B"),
    Statement("an activation costs 1 an element", "feed_forward", "flops.forward.pointwise",
              "B*T*(2*d_ff + d)"),
    Statement("weights are kept too", "linear", "memory.saved", "2*B*d_in + 2*d_in*d_out"),
    Statement("the result is kept", "linear", "memory.saved", "2*B*d_out"),
    Statement("scores and their softmax", "dot_product_attention", "memory.saved",
              "2*(B*T*h*d_k + B*S*h_kv*(d_k + d_v) + 2*B*h*T*S)"),
    Statement("no pair is kept", "dot_product_attention", "memory.saved",
              "2*(B*T*h*d_k + B*S*h_kv*(d_k + d_v))"),
    Statement("keys and values are repeated", "dot_product_attention", "memory.saved",
              "2*(B*T*h*d_k + B*S*h*(d_k + d_v) + B*h*T*S)"),
    Statement("pairs are kept by the fused kernel", "flash_attention", "memory.saved",
              "2*(B*T*h*d_k + B*S*h_kv*(d_k + d_v) + B*T*h*d_v + B*h*T*S) + 4*B*h*T"),
    Statement("statistics in two bytes", "layer_norm", "memory.saved", "2*B*T*d + 4*B*T"),
    Statement("one statistic", "layer_norm", "memory.saved", "2*B*T*d + 4*B*T"),
    Statement("two statistics", "rms_norm", "memory.saved", "2*B*T*d + 8*B*T"),
    Statement("what windows show is kept", "conv1d", "memory.saved", "2*B*C_in*T_o*K"),
    Statement("the input of a pooling is kept", "max_pool2d", "memory.saved",
              "2*B*C*H*W + 8*B*C*H_o*W_o"),
    Statement("a pooling keeps its result", "avg_pool2d", "memory.saved", "2*B*C*H_o*W_o"),
    Statement("a mask in two bytes", "dropout", "memory.saved", "2*B*T*n"),
    Statement("token ids in four bytes", "token_embedding", "memory.saved", "4*B*T"),
    Statement("only what enters", "feed_forward", "memory.saved", "2*B*T*d"),
    Statement("only the two results", "feed_forward", "memory.saved", "2*B*T*(d + d_ff)"),
    Statement("a cache of query heads", "cached_attention", "memory.kv_cache",
              "2*B*S*h*(d_k + d_v)"),
    Statement("a cache of keys alone", "cached_attention", "memory.kv_cache", "2*B*S*h_kv*d_k"),
    Statement("a cache of the new tokens", "cached_attention", "memory.kv_cache",
              "2*B*T*h_kv*(d_k + d_v)"),
)  # fmt: skip
"""Bytes are those of two-byte values, four-byte statistics, one-byte masks, eight-byte indices."""
