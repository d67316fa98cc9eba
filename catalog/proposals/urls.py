from django.urls import path

from catalog.proposals import views

urlpatterns = [
    path("review/", views.review_list, name="review_list"),
    path("review/<int:pk>/", views.review, name="review"),
]
