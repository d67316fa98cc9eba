"""People: how they sign in, what programs of theirs may do, and what they did.

views, urls                  sign in and out, the sessions, password and tokens of an account
models, roles                a user with its groups; what membership in a group allows
tokens, api_auth             API tokens; who makes a request of the API
oidc/, second_factors/       an identity provider; passkeys and codes
rate_limits, throttling      how often; sign_in_audit: which attempts
people/, audit_log/          pages for administrators: people, and the audit log
"""
