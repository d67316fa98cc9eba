"""Sign-in through an identity provider (OpenID Connect): its groups, and the accounts it makes."""
