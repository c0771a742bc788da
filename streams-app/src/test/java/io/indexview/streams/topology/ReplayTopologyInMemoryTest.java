package io.indexview.streams.topology;

/** The same, with the state in memory. */
class ReplayTopologyInMemoryTest extends ReplayTopologyTest {
  @Override
  String stateStore() {
    return "memory";
  }
}
