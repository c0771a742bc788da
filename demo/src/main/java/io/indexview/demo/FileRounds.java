package io.indexview.demo;

import io.indexview.demo.SnapshotLoader.Changes;
import java.util.List;

/** Uploads a tree of files, and in later rounds replaces some and deletes some. */
final class FileRounds {
  private static final int REPLACED_EVERY = 10;
  private static final int DELETED_EVERY = 15;

  private final Bucket bucket;
  private final List<FileTree.Upload> uploads;

  FileRounds(Bucket bucket, List<FileTree.Upload> uploads) {
    this.bucket = bucket;
    this.uploads = uploads;
  }

  /** Round 0 uploads everything; each later one replaces and deletes other files. */
  Changes round(int round) {
    if (round == 0) {
      uploads.parallelStream().forEach(upload -> bucket.put(upload.objectKey(), upload.file()));
      return new Changes(uploads.size(), 0, 0, 0);
    }
    long updated = 0;
    long deleted = 0;
    for (int i = 0; i < uploads.size(); i++) {
      FileTree.Upload upload = uploads.get(i);
      if ((i + round) % DELETED_EVERY == 0) {
        bucket.delete(upload.objectKey());
        deleted++;
      } else if ((i + round) % REPLACED_EVERY == 0) {
        bucket.put(upload.objectKey(), "replaced in round " + (round + 1) + "\n".repeat(i));
        updated++;
      }
    }
    return new Changes(0, updated, deleted, uploads.size() - updated - deleted);
  }
}
