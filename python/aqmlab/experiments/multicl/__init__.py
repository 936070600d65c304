"""An ns-2 study of several AQM routers on paths with several congested links."""
