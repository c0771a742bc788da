package io.indexview.connect.s3.notification;

import java.util.List;

/**
 * What one message says.
 *
 * @param events in the order of the message
 * @param unknownTypes types of events that are no creation or removal of an object
 */
public record Notification(List<ObjectEvent> events, List<String> unknownTypes) {
  /** Of a message that says nothing about objects, such as {@code s3:TestEvent}. */
  static final Notification EMPTY = new Notification(List.of(), List.of());

  public Notification {
    events = List.copyOf(events);
    unknownTypes = List.copyOf(unknownTypes);
  }
}
