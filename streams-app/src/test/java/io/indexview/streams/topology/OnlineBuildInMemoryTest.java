package io.indexview.streams.topology;

/** The same, with the state in memory. */
class OnlineBuildInMemoryTest extends OnlineBuildTest {
  @Override
  String stateStore() {
    return "memory";
  }
}
