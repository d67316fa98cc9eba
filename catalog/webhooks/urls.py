from django.urls import path

from catalog.webhooks import views

urlpatterns = [
    path("webhooks/", views.webhook_list, name="webhooks"),
    path("webhooks/<int:pk>/", views.webhook_page, name="webhook"),
    path(
        "webhooks/<int:pk>/deliveries/<int:delivery>/",
        views.delivery_page,
        name="webhook_delivery",
    ),
]
