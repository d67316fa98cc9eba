from django.urls import path

from accounts.people import views

urlpatterns = [
    path("people/", views.people, name="people"),
    path("people/add/", views.add_person, name="add_person"),
    path("people/groups/", views.change_groups, name="people_groups"),
    path("people/<int:pk>/", views.person, name="person"),
    path("people/<int:pk>/link/", views.new_person_link, name="person_link"),
]
