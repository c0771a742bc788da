package io.indexview.streams.topology;

/** The same, with the state in memory. */
class IndexViewTopologyInMemoryTest extends IndexViewTopologyTest {
  @Override
  String stateStore() {
    return "memory";
  }
}
