"""The middleware of the site, in the order of `settings.MIDDLEWARE`: one module for each subject."""
