"""Second factors: codes of an authenticator app, passkeys, recovery codes, and who needs one."""
