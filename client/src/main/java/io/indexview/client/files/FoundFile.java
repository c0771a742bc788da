package io.indexview.client.files;

import java.time.LocalDate;

/**
 * One file as its view has it. All but the key and the revision may be null: not known, or not
 * included in the view.
 *
 * @param size bytes
 * @param uploadDate in UTC
 * @param revision of the row
 */
public record FoundFile(
    String objectKey,
    String bucketName,
    String fileId,
    Long size,
    String uploadUser,
    LocalDate uploadDate,
    long revision) {}
