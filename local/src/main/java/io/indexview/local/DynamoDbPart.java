package io.indexview.local;

import io.indexview.schemas.http.OriginRule;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * DynamoDB Local in a child process. Its licence allows neither to pass it on nor to combine it
 * with other programs, so none of it is on this class path.
 */
final class DynamoDbPart implements Part {
  private final PartContext context;
  private final ChildProcess process;

  DynamoDbPart(PartContext context) {
    this.context = context;
    this.process = new ChildProcess(context, PartName.DYNAMODB);
  }

  @Override
  public PartName name() {
    return PartName.DYNAMODB;
  }

  @Override
  public Set<PartName> needs() {
    return Set.of();
  }

  @Override
  public void start() throws Exception {
    List<String> main = new ArrayList<>();
    main.add(DynamoDbServer.class.getName());
    main.add(Integer.toString(context.ports().of(PartName.DYNAMODB)));
    // Its files take one write after the other to the disk, some hundred in a second.
    if (context.config().lasting()) {
      main.add(context.directory().of("dynamodb").toString());
    }
    String libraries = Files.readString(process.file("", "classpath.txt"));
    // The server's own check of requests needs it.
    String classPath = ChildProcess.location(OriginRule.class) + File.pathSeparator + libraries;
    process.start(ChildProcess.compilerOptions(), classPath, main, this::answers);
  }

  /** Whether the process answers; its status says that nothing was asked for. */
  private boolean answers() throws IOException, InterruptedException {
    return process.send(HttpRequest.newBuilder(URI.create(address())).GET()).statusCode() > 0;
  }

  @Override
  public String address() {
    return context.url(PartName.DYNAMODB);
  }

  @Override
  public void stop() throws InterruptedException {
    process.stop();
  }
}
