"""Reports: plots, and one HTML page for people who were not there."""

from langchain_drift.reports.drift_plot import plot_drift
from langchain_drift.reports.grounding_plot import plot_grounding
from langchain_drift.reports.mistake_plot import plot_mistakes
from langchain_drift.reports.page import report_html

__all__ = ["plot_drift", "plot_grounding", "plot_mistakes", "report_html"]
