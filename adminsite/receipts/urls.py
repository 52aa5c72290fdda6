"""Route the pages of receipts. Those for verifying are for everybody: they hold nobody's words."""

from django.urls import path

from adminsite.receipts import views

urlpatterns = [
    path("receipts/<str:request_id>/", views.show_receipt, name="receipt"),
    path("verify-receipt/", views.show_verifier, name="verify-receipt"),
    path("verify-receipt/verify_receipt.py", views.download_verifier, name="verify-receipt-program"),
    path(".well-known/footnote-receipts.json", views.list_keys, name="receipt-keys"),
]
