"""Base class of estimators that consist of named members, such as Comparator."""

from typing import Any, Self

from ..exceptions import InputError, InputTypeError
from ._sklearn import BaseComposition, show_in_parallel


class Composition(BaseComposition):
    """Base class of estimators that contain other estimators, as a list of (name, estimator) tuples.

    The class attribute ``_members_name`` is the name of the parameter with this list. The estimators in the list are
    called members. A parameter of a member is also a parameter of the whole estimator, with the name
    ``name__parameter``. The string "drop" can replace a member.
    """

    _members_name = "aggregators"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; with ``deep``, include the parameters of the members as ``name__parameter``.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include the parameters of the members.

        Returns
        -------
        dict
            Values, keyed by parameter name.
        """
        return self._get_params(self._members_name, deep=deep)

    def set_params(self, **params: Any) -> Self:
        """Set parameters of this estimator or of a member (``name__parameter``), or replace a member (``name``).

        Parameters
        ----------
        **params : dict
            New values, keyed by parameter name.

        Returns
        -------
        self : object
            The estimator itself.
        """
        return self._set_params(self._members_name, **params)

    def _members(self, *, required=True):
        """Check the list of members, and return it without "drop"; if `required` is true, it must not be empty."""
        given, title = getattr(self, self._members_name), self._members_name
        if (required and not given) or not all(isinstance(member, tuple) and len(member) == 2 for member in given):
            raise InputError(
                f"`{title}` must be a list of (name, estimator) tuples with at least one method, such as [('sum', "
                f"CombSUM())]; got {given!r}."
            )
        self._validate_names([name for name, _ in given])
        members = [(name, estimator) for name, estimator in given if not isinstance(estimator, str)]
        for name, estimator in given:
            if estimator != "drop" and not hasattr(estimator, "transform"):
                raise InputTypeError(
                    f"`{title}` must contain 'drop' or aggregators, which have fit and transform; {name!r} is "
                    f"{estimator!r}."
                )
        if required and not members:
            raise InputError(f"`{title}` must have at least one method; got only 'drop'.")
        return members

    def _sk_visual_block_(self):
        members = getattr(self, self._members_name)
        return show_in_parallel([name for name, _ in members], [estimator for _, estimator in members])
