"""Names of the checks of scikit-learn that are run, and the reasons why other checks are skipped."""

from sklearn.utils import estimator_checks as sklearn_checks

#: Checks in scikit-learn's suite that need no data.
SKLEARN_CHECKS = (
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
    "check_param_validation",
    "check_valid_tag_types",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_estimator_tags_renamed",
    "check_mixin_order",
)

_MATRIX = "passes a matrix of numbers, not ranked lists"

#: Checks in scikit-learn's suite that are not run, with the reason and, if there is one, the check that replaces it.
EXEMPTIONS = {
    "check_array_api_input": "arrays are not frames of lists; check_containers tests polars and pyarrow",
    "check_complex_data": "lists contain ids; a complex rank or score raises an error, see check_errors",
    "check_dict_unchanged": f"{_MATRIX}; replaced by check_transform_writes_nothing",
    "check_dont_overwrite_parameters": f"{_MATRIX}; replaced by check_input_unchanged",
    "check_dtype_object": f"{_MATRIX}; replaced by check_containers",
    "check_estimator_sparse_array": "a sparse matrix is not a frame of lists and raises an error, see check_errors",
    "check_estimator_sparse_matrix": "a sparse matrix is not a frame of lists and raises an error, see check_errors",
    "check_estimator_sparse_tag": "sparse input is not accepted: fit raises an error, and no tag promises it",
    "check_estimators_dtypes": f"{_MATRIX}; replaced by check_containers, check_integer_ids",
    "check_estimators_empty_data_messages": f"{_MATRIX}; replaced by check_errors",
    "check_estimators_fit_returns_self": f"{_MATRIX}; replaced by check_fit_returns_self",
    "check_estimators_nan_inf": f"{_MATRIX}; replaced by check_errors",
    "check_estimators_overwrite_params": f"{_MATRIX}; replaced by check_input_unchanged",
    "check_estimators_pickle": f"{_MATRIX}; replaced by check_persistence",
    "check_estimators_unfitted": f"{_MATRIX}; replaced by check_transforms_unfitted",
    "check_f_contiguous_array_estimator": "estimators do not depend on the memory order of a frame",
    "check_fit1d": "one-dimensional data are not a frame and raise an error, see check_errors",
    "check_fit2d_1feature": "lists have no features",
    "check_fit2d_1sample": f"{_MATRIX}; replaced by check_small_inputs",
    "check_fit2d_predict1d": "one-dimensional data are not a frame and raise an error, see check_errors",
    "check_fit_check_is_fitted": f"{_MATRIX}; replaced by check_transforms_unfitted",
    "check_fit_idempotent": f"{_MATRIX}; replaced by check_repeatable",
    "check_fit_score_takes_y": f"{_MATRIX}; replaced by check_pipeline",
    "check_methods_sample_order_invariance": f"{_MATRIX}; replaced by check_row_order",
    "check_methods_subset_invariance": f"{_MATRIX}; replaced by check_query_subset",
    "check_n_features_in": "lists have no features, and no n_features_in_ is set",
    "check_n_features_in_after_fitting": "lists have no features, and no n_features_in_ is set",
    "check_pipeline_consistency": f"{_MATRIX}; replaced by check_pipeline",
    "check_positive_only_tag_during_fit": "scores may be negative, but ranks must not be negative, see check_errors",
    "check_readonly_memmap_input": f"{_MATRIX}; replaced by check_read_only",
    "check_transformer_data_not_an_array": f"{_MATRIX}; replaced by check_containers",
    "check_transformer_general": f"{_MATRIX}; replaced by check_repeatable",
    "check_transformer_n_iter": f"{_MATRIX}; n_iter_ is a count, which is 0 if a system was solved directly",
    "check_transformer_preserve_dtypes": f"{_MATRIX}; replaced by check_containers, check_integer_ids",
    "check_transformers_unfitted": f"{_MATRIX}; replaced by check_transforms_unfitted",
}


def run_sklearn_check(name, estimator):
    """Run one of scikit-learn's checks on an estimator."""
    getattr(sklearn_checks, name)(type(estimator).__name__, estimator)
