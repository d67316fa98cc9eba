"""The middleware of the site, one module for each subject; `settings.MIDDLEWARE` has the order."""
