package io.indexview.demo;

import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.verification.ViewVerifier.PrimaryRecord;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Iterator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Object;

/** The bucket as its users see it: files go in, change, leave, and are fetched back. */
final class Bucket {
  private static final Pattern KEY = Pattern.compile(FileTree.KEY_PATTERN);

  private final S3Client s3;
  private final String name;

  Bucket(S3Client s3, String name) {
    this.s3 = s3;
    this.name = name;
  }

  String name() {
    return name;
  }

  void put(String objectKey, Path file) {
    s3.putObject(request -> request.bucket(name).key(objectKey), RequestBody.fromFile(file));
  }

  void put(String objectKey, String content) {
    s3.putObject(
        request -> request.bucket(name).key(objectKey),
        RequestBody.fromString(content, StandardCharsets.UTF_8));
  }

  void delete(String objectKey) {
    s3.deleteObject(request -> request.bucket(name).key(objectKey));
  }

  byte[] fetch(String objectKey) {
    return s3.getObjectAsBytes(request -> request.bucket(name).key(objectKey)).asByteArray();
  }

  /** The bucket's content now, as the primary records that a listing tells. */
  Iterator<PrimaryRecord> primaryRecords() {
    return s3.listObjectsV2Paginator(request -> request.bucket(name)).contents().stream()
        .map(object -> new PrimaryRecord(name + "/" + object.key(), fileRecord(object)))
        .iterator();
  }

  private GenericRecord fileRecord(S3Object object) {
    GenericRecordBuilder record =
        new GenericRecordBuilder(ControlSchemas.FILE_RECORD)
            .set("objectKey", object.key())
            .set("bucketName", name)
            .set("size", object.size())
            .set("eTag", object.eTag().replace("\"", ""))
            .set(
                "uploadDate",
                LocalDate.ofInstant(object.lastModified(), ZoneOffset.UTC).toString());
    Matcher key = KEY.matcher(object.key());
    if (key.matches()) {
      record.set("uploadUser", key.group("uploadUser")).set("fileId", key.group("fileId"));
    }
    return record.build();
  }
}
