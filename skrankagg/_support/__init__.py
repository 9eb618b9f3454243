"""What has nothing to do with ranked lists: scikit-learn's private names, progress, warnings, versions."""
