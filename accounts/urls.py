from django.urls import include, path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("", include("accounts.people.urls")),
    path("", include("accounts.audit_log.urls")),
    path("sign-in/", views.SignIn.as_view(), name="sign_in"),
    path(
        "sign-in/link/", views.SignInByLink.as_view(), name="sign_in_by_link"
    ),  # see secret_paths.py
    path("sign-out/", views.SignOut.as_view(), name="sign_out"),
    path("account/sessions/", views.sessions, name="sessions"),
    path("account/sessions/<str:session_digest>/end/", views.end_session, name="end_session"),
    path("account/sessions/end/", views.sign_out_everywhere, name="sign_out_everywhere"),
    path("account/password/", views.ChangePassword.as_view(), name="password"),
    path("account/tokens/", views.tokens, name="tokens"),
    path("account/tokens/<int:pk>/revoke/", views.revoke_token, name="revoke_token"),
]
