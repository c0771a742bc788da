package io.indexview.client.read.kv;

import io.indexview.client.read.target.ViewRows.RowRequest;
import io.indexview.views.layout.KvLayout;

/**
 * How many records the requests for rows of one generation ask for, by what pages lately met. The
 * store holds all records of a request at once. Thread-safe; of two threads that learn at once one
 * may have learnt in vain.
 */
final class KvBatches {
  /** A small page must not take a request for every few tombstones before its first row. */
  private static final int AMONG_TOMBSTONES = 500;

  /** What is above comes in several requests. */
  private static final int MAX = 2_000;

  private static final int MAX_OF_LISTS = 500;
  private static final int FEW_TOMBSTONES = 8;

  /** What is left of the room for tombstones after a page that needed less. */
  private static final double KEPT_ROOM = 63.0 / 64;

  /** What a record is taken for before one was met. */
  private static final int UNKNOWN_BYTES = 64 << 10;

  /**
   * What is left of the size of records after {@link #AMONG_TOMBSTONES} smaller ones: a few small
   * rows say nothing about the next large ones.
   */
  private static final double KEPT_SIZE = 7.0 / 8;

  private final KvLayout layout;

  /**
   * How much of {@link #maxRoom} a page's first request has for tombstones: twice of what pages
   * lately needed, so that rows that have none are not read in vain, and those that have some come
   * at once.
   */
  private volatile double room = 1;

  /** Bytes of a record, as requests lately met them; 0: none was met. */
  private volatile double recordBytes;

  KvBatches(KvLayout layout) {
    this.layout = layout;
  }

  Page page(RowRequest request) {
    return new Page(request);
  }

  /** Size of a batch of a scan, whose records have so many bytes in all. */
  int ofScan(int records, long bytes) {
    return bounded(records, bytes, recordBytes);
  }

  /**
   * Bounds a batch by the known size of a record, and adds two: the record that goes beyond, and
   * the one behind the page.
   */
  private static int bounded(int records, long bytes, double known) {
    return (int) Math.min(records, 2 + bytes / (known == 0 ? UNKNOWN_BYTES : known));
  }

  private static int maxRoom(int rows) {
    return rows / 4 + FEW_TOMBSTONES;
  }

  /** Learns from a scan. */
  void learn(RowRequest request, int records, long bytes) {
    if (records > 0) {
      double before = recordBytes;
      double kept = Math.pow(KEPT_SIZE, (double) records / AMONG_TOMBSTONES);
      double now = Math.max((double) bytes / records, before * kept);
      // The size of records that bound no request does not matter.
      if (before == 0 || Math.max(before, now) * MAX > request.bytes()) {
        recordBytes = now;
      }
    }
  }

  /** The requests of one page in one place. For one thread. */
  final class Page {
    private final RowRequest request;

    /** Bytes of a record in its requests, at most: what is shared may fall meanwhile. */
    private double largest;

    private Page(RowRequest request) {
      this.request = request;
    }

    /**
     * Size of the first batch for so many rows; a few tombstones must not make two requests of it.
     */
    int first(int rows) {
      int records = layout.holdsRevisions() ? rows + (int) (room * maxRoom(rows)) : rows;
      return atMost(Math.min(layout.isList() ? MAX_OF_LISTS : MAX, records));
    }

    /** Size of the batches that follow. */
    int further() {
      return atMost(AMONG_TOMBSTONES);
    }

    private int atMost(int records) {
      return bounded(records, request.bytes(), Math.max(recordBytes, largest));
    }

    /**
     * Learns from a request.
     *
     * @param tombstones among the records
     * @param bytes of the records
     */
    void learn(int tombstones, int records, long bytes) {
      double before = room;
      double needed = 2.0 * tombstones / maxRoom(request.rows());
      double now = Math.min(1, Math.max(needed, before * KEPT_ROOM));
      if (now != before && (now > before || before * maxRoom(MAX) >= 1)) {
        room = now;
      }
      if (records > 0) {
        largest = Math.max(largest, (double) bytes / records);
      }
      KvBatches.this.learn(request, records, bytes);
    }
  }
}
