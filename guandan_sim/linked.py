"""Code that is only ever linked into other code, which is most of our kernels.

Numba makes every function ready to run: it optimises it together with all that it calls, makes
machine code of it, and adds wrappers for Python and C. Only what Python calls needs that; doing it
for the rest took more than half of a first start. Code made by `LinkedCompiler` stays as it was
lowered; it is optimised, with its caller, where it is used.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding as llvm
from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
from numba.core.compiler_lock import require_global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

__all__ = ["LinkedCompiler", "from_parts", "is_linked", "parts"]


class LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A library without machine code: its module holds a function and all that it calls."""

    def finalize(self) -> None:
        """Link in what is called, and leave it at that."""
        require_global_compiler_lock()
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True


def _stand_in(fndesc: Any, environment: Any, library: Any) -> Any:
    """What callers know the code by; it cannot itself be called."""
    name = fndesc.qualname.split(".")[-1]
    return _dynfunc.make_function(
        fndesc.lookup_module(), name, "linked code", 0, environment, (library,)
    )


@register_pass(mutates_CFG=True, analysis_only=False)
class LinkedLowering(NativeLowering):  # type: ignore[misc]
    """Lowers to a `LinkedLibrary`."""

    _name = "linked_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        flags = state.flags
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        super().run_pass(state)
        lowered = state["cr"]
        code = _stand_in(lowered.fndesc, lowered.env, state.library)
        state.targetctx.insert_user_function(code, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=code)
        return True


class LinkedCompiler(CompilerBase):  # type: ignore[misc]
    """For ``numba.njit(pipeline_class=...)``: functions that other compiled functions call."""

    def define_pipelines(self) -> list[Any]:
        """The usual passes, but for the last step."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (LinkedLowering if step is NativeLowering else step, why) for step, why in passes.passes
        ]
        passes._finalized = False
        passes.finalize()
        return [passes]


def is_linked(result: Any) -> bool:
    """Whether a compile result came from `LinkedCompiler`."""
    return isinstance(result.library, LinkedLibrary)


def parts(result: Any) -> tuple[Any, ...]:
    """Such a result as what can be pickled."""
    fndesc = result.fndesc
    fndesc.typemap = fndesc.calltypes = None
    name, _, bitcode = result.library.serialize_using_bitcode()
    return name, bitcode, fndesc, result.environment, result.signature


def from_parts(target_context: Any, name: str, bitcode: bytes, *rest: Any) -> Any:
    """The result that `parts` took apart."""
    fndesc, environment, signature = rest
    library = LinkedLibrary(target_context.codegen(), name)
    library._final_module = llvm.parse_bitcode(bitcode)
    library._finalized = True
    return CompileResult(
        target_context=target_context,
        typing_context=target_context.typing_context,
        library=library,
        environment=environment,
        entry_point=_stand_in(fndesc, environment, library),
        fndesc=fndesc,
        type_annotation="",
        signature=signature,
        objectmode=False,
        lifted=(),
        typing_error=None,
        call_helper=None,
        metadata=None,
        reload_init=[],
        referenced_envs=(),
    )
