"""Retrieval: does an answer stand on the question and on the retrieved chunks?"""
