"""In which order things happen: declared pipelines and the driver that runs them."""
