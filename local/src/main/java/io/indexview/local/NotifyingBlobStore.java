package io.indexview.local;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.util.concurrent.Striped;
import io.indexview.local.NotifyingBlobStore.ObjectEvent.EventJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.gaul.s3proxy.blobstore.BlobStore;
import org.gaul.s3proxy.blobstore.ForwardingBlobStore;
import org.gaul.s3proxy.blobstore.domain.MultipartUpload;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.CopyObjectRequest;
import software.amazon.awssdk.services.s3.model.CopyObjectResponse;
import software.amazon.awssdk.services.s3.model.DeleteObjectRequest;
import software.amazon.awssdk.services.s3.model.DeleteObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;

/**
 * Tells every change of a bucket's objects. A change and its notification happen under a lock of
 * the object's key, so sequencers are in the order of the changes. A change that nobody can be
 * notified of fails, though it was made: the caller repeats it, which tells it.
 */
public final class NotifyingBlobStore extends ForwardingBlobStore {
  /** Objects that the server keeps for itself while a multipart upload goes on. */
  private static final String UPLOAD_STUB = ".s3proxy-mpu-stub-";

  private static final int LOCKS = 1024;

  private final String bucket;
  private final Sequencer sequencer;
  private final EventJson json;
  private final Consumer<String> queue;
  private final Clock clock;
  private final Striped<Lock> locks = Striped.lazyWeakLock(LOCKS);

  /**
   * A store that sends notifications.
   *
   * @param bucket the bucket whose changes are notified
   * @param sequencerFile where the sequence is kept over restarts
   * @param queue takes a message; throws if it could not
   */
  public NotifyingBlobStore(
      BlobStore store, String bucket, String region, Path sequencerFile, Consumer<String> queue)
      throws IOException {
    this(store, bucket, region, sequencerFile, queue, Clock.systemUTC());
  }

  NotifyingBlobStore(
      BlobStore store,
      String bucket,
      String region,
      Path sequencerFile,
      Consumer<String> queue,
      Clock clock)
      throws IOException {
    super(store);
    this.bucket = bucket;
    this.sequencer = new Sequencer(sequencerFile, clock);
    this.json = new EventJson(region);
    this.queue = queue;
    this.clock = clock;
  }

  @Override
  public PutObjectResponse putBlob(PutObjectRequest request, InputStream content) {
    return created(
        "ObjectCreated:Put",
        request.bucket(),
        request.key(),
        () -> delegate().putBlob(request, content));
  }

  @Override
  public CopyObjectResponse copyBlob(CopyObjectRequest request) {
    return created(
        "ObjectCreated:Copy",
        request.destinationBucket(),
        request.destinationKey(),
        () -> delegate().copyBlob(request));
  }

  @Override
  public CompleteMultipartUploadResponse completeMultipartUpload(
      MultipartUpload upload, CompleteMultipartUploadRequest request) {
    return created(
        "ObjectCreated:CompleteMultipartUpload",
        request.bucket(),
        request.key(),
        () -> delegate().completeMultipartUpload(upload, request));
  }

  /** Removes an object; the removal of several objects calls this, too. */
  @Override
  public DeleteObjectResponse removeBlob(DeleteObjectRequest request) {
    return changed(
        request.bucket(),
        request.key(),
        () -> delegate().removeBlob(request),
        () -> tell("ObjectRemoved:Delete", request.key(), Optional.empty()));
  }

  private <T> T created(String event, String inBucket, String key, Supplier<T> change) {
    return changed(
        inBucket, key, change, () -> tell(event, key, Optional.of(content(inBucket, key))));
  }

  private <T> T changed(String inBucket, String key, Supplier<T> change, Runnable tell) {
    if (!bucket.equals(inBucket) || key.startsWith(UPLOAD_STUB)) {
      return change.get();
    }
    Lock lock = locks.get(key);
    lock.lock();
    try {
      T result = change.get();
      tell.run();
      return result;
    } finally {
      lock.unlock();
    }
  }

  private ObjectEvent.Content content(String inBucket, String key) {
    HeadObjectResponse head = delegate().blobMetadata(inBucket, key);
    return new ObjectEvent.Content(head.contentLength(), head.eTag().replace("\"", ""));
  }

  private void tell(String event, String key, Optional<ObjectEvent.Content> content) {
    try {
      String sequence = sequencer.next();
      queue.accept(
          json.write(new ObjectEvent(event, clock.instant(), bucket, key, sequence, content)));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot keep the sequence of notifications", e);
    }
  }

  /**
   * Gives sequencers that only rise, over restarts and clocks set back too: nanoseconds since 1970
   * in 16 hexadecimal digits. A file holds a bound that none has passed yet; a restart begins
   * there.
   */
  static final class Sequencer {
    private static final long RESERVED = Duration.ofSeconds(10).toNanos();

    private final Path file;
    private final Clock clock;
    private long last;
    private long bound;

    Sequencer(Path file, Clock clock) throws IOException {
      this.file = file;
      this.clock = clock;
      this.bound = Files.exists(file) ? Long.parseLong(Files.readString(file).strip()) : 0;
      this.last = bound;
    }

    synchronized String next() throws IOException {
      Instant now = clock.instant();
      long nanos =
          Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000_000L), now.getNano());
      long next = Math.max(nanos, last + 1);
      if (next >= bound) {
        reserve(next + RESERVED);
      }
      last = next;
      return HexFormat.of().withUpperCase().toHexDigits(next);
    }

    private void reserve(long upTo) throws IOException {
      Path written = file.resolveSibling(file.getFileName() + ".new");
      Files.writeString(written, Long.toString(upTo), StandardCharsets.US_ASCII);
      Files.move(
          written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      bound = upTo;
    }
  }

  /**
   * A change of one object, as S3 tells it.
   *
   * @param name for instance {@code ObjectCreated:Put}
   * @param key the object's key, not encoded
   * @param sequencer hexadecimal; rises with every change of one object
   * @param content size and ETag; empty for a removal
   */
  record ObjectEvent(
      String name,
      Instant time,
      String bucket,
      String key,
      String sequencer,
      Optional<Content> content) {

    /**
     * What an object holds.
     *
     * @param eTag without quotes
     */
    public record Content(long size, String eTag) {}

    private static final DateTimeFormatter TIME =
        DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    /** The key as it stands in a notification: form encoding, in which slashes stay. */
    static String encodedKey(String key) {
      return URLEncoder.encode(key, StandardCharsets.UTF_8).replace("%2F", "/");
    }

    static String formatted(Instant time) {
      return TIME.format(time);
    }

    /** Writes notifications in the message structure of S3, version 2.1. */
    static final class EventJson {
      private static final String OWNER = "local";

      private final String region;

      EventJson(String region) {
        this.region = region;
      }

      String write(ObjectEvent event) {
        ObjectNode message = JsonNodeFactory.instance.objectNode();
        ObjectNode record = message.putArray("Records").addObject();
        record.put("eventVersion", "2.1");
        record.put("eventSource", "aws:s3");
        record.put("awsRegion", region);
        record.put("eventTime", ObjectEvent.formatted(event.time()));
        record.put("eventName", event.name());
        record.putObject("userIdentity").put("principalId", OWNER);
        record.putObject("requestParameters").put("sourceIPAddress", "127.0.0.1");
        record.putObject("responseElements").put("x-amz-request-id", UUID.randomUUID().toString());
        ObjectNode s3 = record.putObject("s3");
        s3.put("s3SchemaVersion", "1.0");
        s3.put("configurationId", "indexview");
        ObjectNode bucket = s3.putObject("bucket");
        bucket.put("name", event.bucket());
        bucket.putObject("ownerIdentity").put("principalId", OWNER);
        bucket.put("arn", "arn:aws:s3:::" + event.bucket());
        ObjectNode object = s3.putObject("object");
        object.put("key", ObjectEvent.encodedKey(event.key()));
        event
            .content()
            .ifPresent(content -> object.put("size", content.size()).put("eTag", content.eTag()));
        object.put("sequencer", event.sequencer());
        return message.toString();
      }
    }
  }
}
