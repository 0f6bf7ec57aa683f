"""The ``site`` commands, where they say at once what cannot be done."""

from tests.invoke import assert_refuses


def test_a_folder_without_a_site_is_refused_before_anything_is_made(tmp_path):
    assert_refuses("site", "verify", str(tmp_path), said="holds no built site")
    assert_refuses("site", "verify", "x" * 7000, said="holds no built site")
