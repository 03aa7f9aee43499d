"""`execplan`, the command line of people who ask planners for machines."""
