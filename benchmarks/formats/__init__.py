"""Measure how a folder of files of any format is read, each beside a second, independent reader."""
