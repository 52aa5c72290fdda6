"""Run `make run`: prepare everything on this machine, start the processes of the Procfile, watch over them."""
