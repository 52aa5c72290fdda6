"""Route the pages of researches."""

from django.urls import path

from adminsite.research import views

urlpatterns = [
    path("research/", views.show_researches, name="researches"),
    path("research/<uuid:pk>/", views.show_research, name="research"),
    path("research/<uuid:pk>/page.md", views.download, {"form": "markdown"}, name="research-markdown"),
    path("research/<uuid:pk>/page.docx", views.download, {"form": "docx"}, name="research-docx"),
]
