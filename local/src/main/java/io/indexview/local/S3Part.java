package io.indexview.local;

import io.indexview.local.SqsPart.QueueSender;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Supplier;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.blobstore.BlobStore;
import org.gaul.s3proxy.nio2blob.FilesystemNio2BlobStore;

/** An S3 server on a directory, whose bucket notifies the queue of every change. */
final class S3Part implements Part {
  private static final int THREADS = 32;
  private static final long STOP_TIMEOUT_MS = 10_000;

  private final PartContext context;
  private final Supplier<QueueSender> notifications;
  private S3Proxy server;

  /**
   * @param notifications asked for each time, as the queue's server may be another one by then
   */
  S3Part(PartContext context, Supplier<QueueSender> notifications) {
    this.context = context;
    this.notifications = notifications;
  }

  @Override
  public PartName name() {
    return PartName.S3;
  }

  @Override
  public Set<PartName> needs() {
    return Set.of(PartName.SQS);
  }

  @Override
  public void start() throws Exception {
    Path objects = context.directory().of("s3/objects");
    BlobStore files = new FilesystemNio2BlobStore(objects.toString());
    String bucket = context.config().bucket();
    if (!files.containerExists(bucket)) {
      files.createContainer(bucket);
    }
    server =
        S3Proxy.builder()
            .blobStore(
                new NotifyingBlobStore(
                    files,
                    bucket,
                    StackConfig.REGION,
                    context.directory().of("s3").resolve("sequence"),
                    message -> notifications.get().send(message)))
            .endpoint(context.listener(PartName.S3))
            .awsAuthentication(
                AuthenticationType.AWS_V2_OR_V4, StackConfig.ACCESS_KEY, StackConfig.SECRET_KEY)
            .ignoreUnknownHeaders(true)
            .jettyMaxThreads(THREADS)
            .stopTimeout(STOP_TIMEOUT_MS)
            .build();
    server.start();
  }

  @Override
  public String address() {
    return context.url(PartName.S3);
  }

  @Override
  public void stop() throws Exception {
    if (server != null) {
      server.stop();
    }
  }
}
