package io.indexview.connect.common.index;

import io.indexview.connect.common.index.IndexedTopic.IndexState;
import java.util.Map;

/**
 * State of an index whose owner knows no more than a word.
 *
 * @param note the owner's word
 */
record NotedState(String topicId, Map<Integer, Long> positions, String note)
    implements IndexState<NotedState> {
  @Override
  public NotedState withPositions(Map<Integer, Long> next) {
    return new NotedState(topicId, next, note);
  }
}
