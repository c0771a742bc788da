package io.indexview.streams.controller;

import java.util.ArrayList;
import java.util.List;

/** A view topic of the simulated world. */
final class SimTopic {
  final String name;
  private final List<List<Message>> log = new ArrayList<>();

  /**
   * @param value null: a tombstone
   * @param position of the task in its source when this was written
   * @param build whether a build wrote it
   * @param last whether it is the last one of its transaction
   * @param removal whether it tells the sink to remove all rows of the generation
   */
  record Message(
      String rowKey, Integer value, int position, boolean build, boolean last, boolean removal) {}

  SimTopic(String name, int partitions) {
    this.name = name;
    for (int i = 0; i < partitions; i++) {
      log.add(new ArrayList<>());
    }
  }

  int partitions() {
    return log.size();
  }

  List<Message> partition(int partition) {
    return log.get(partition);
  }

  int end(int partition) {
    return log.get(partition).size();
  }

  List<Integer> ends() {
    return log.stream().map(List::size).toList();
  }

  void append(int partition, Message message) {
    log.get(partition).add(message);
  }

  void tellRemoval() {
    append(0, new Message("", null, 0, false, true, true));
  }
}
