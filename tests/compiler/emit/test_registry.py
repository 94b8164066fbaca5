"""registry.txt is what a server offers as `chainc://registry` where nothing is hidden."""

from compiler.emit.registry import emit_registry
from dsl.diagnostics import Sink
from stdlib.serve.session import VisibleSet
from stdlib.serve.visible import Choice, candidates
from tests.compiler.emit.sample import sample


def test_the_file_and_the_resource_are_the_same():
    bundle = sample()
    (file,) = emit_registry(bundle, Sink())
    catalogue = bundle.catalogue.model_copy(update={"entries": tuple(bundle.visible())})
    visible = VisibleSet(candidates(catalogue, lambda: bundle.plan, Choice("semantic")))
    assert file.text
    assert visible.registry == file.text
