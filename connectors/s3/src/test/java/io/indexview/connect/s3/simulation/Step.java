package io.indexview.connect.s3.simulation;

/** What may happen next. */
enum Step {
  /** An object is put, and a notification sent. */
  PUT,
  /** An object is put, and its notification lost. */
  PUT_LOST,
  /** An object is removed, and a notification sent. */
  REMOVE,
  /** An object is removed, and its notification lost. */
  REMOVE_LOST,
  /** An object is removed, and the notification has no sequencer. */
  EXPIRE,
  /** A version is removed, an older one shows, and a notification is sent. */
  REVEAL,
  /** The last version is removed, and a notification sent that does not say it was the last. */
  REMOVE_VERSION,
  /** Somebody looks what the oldest notification is about, if that takes a scan. */
  SCAN,
  /** The oldest notification becomes an event in the topic. */
  OLDEST_ARRIVES,
  /** The newest does, before all others. */
  NEWEST_ARRIVES,
  /** The oldest does, and is handed out by the queue once more. */
  ARRIVES_TWICE,
  /** The periodic listing goes on by a page. */
  LIST,
  /** Its oldest record is in the topic. */
  LISTED_ARRIVES,
  /** The task works on events without a sequencer. */
  OBSERVE,
  /** Its oldest record is in the topic. */
  OBSERVED_ARRIVES,
  /** The grace of the listing passes. */
  TIME,
  /**
   * What the app holds of an object turns wrong, and an ad-hoc snapshot begins; or that goes on by
   * a page.
   */
  PUBLISH_AGAIN,
  /** Its oldest record is in the topic. */
  PUBLISHED_ARRIVES,
  /**
   * The app reads nothing before an ad-hoc snapshot begins, and then never what was published until
   * then.
   */
  APP_LOSES
}
