"""Tests of controller.doctor."""
