"""A plug-in of pytest that leaves out the tests that start the service."""


def pytest_collection_modifyitems(config, items):
    with_service = [item for item in items if "service" in item.fixturenames]
    config.hook.pytest_deselected(items=with_service)
    items[:] = [item for item in items if "service" not in item.fixturenames]
