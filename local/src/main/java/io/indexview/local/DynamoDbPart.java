package io.indexview.local;

import com.amazonaws.services.dynamodbv2.local.server.LocalDynamoDBRequestHandler;
import com.amazonaws.services.dynamodbv2.local.server.LocalDynamoDBServerHandler;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.Callback;

/**
 * DynamoDB Local over HTTP. Its own server class listens on every address and knows no option
 * against it, so its request handler runs in a server of ours.
 */
final class DynamoDbPart implements Part {
  private final PartContext context;
  private Server server;
  private LocalDynamoDBServerHandler handler;

  DynamoDbPart(PartContext context) {
    this.context = context;
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
    QuietParsers.load();
    // Its files take one write after the other to the disk, some hundred in a second.
    boolean inMemory = !context.config().lasting();
    String files = inMemory ? null : context.directory().of("dynamodb").toString();
    // One database whatever the caller's region and key; no delayed states.
    LocalDynamoDBRequestHandler requests =
        new LocalDynamoDBRequestHandler(0, inMemory, files, true, false);
    handler = new LocalDynamoDBServerHandler(requests, null);
    server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost(PartContext.HOST);
    connector.setPort(context.ports().of(PartName.DYNAMODB));
    server.addConnector(connector);
    server.setHandler(new Check(new ContextHandler(handler)));
    server.start();
  }

  @Override
  public String address() {
    return context.url(PartName.DYNAMODB);
  }

  @Override
  public void stop() throws Exception {
    if (server != null) {
      server.stop();
      handler.close();
    }
  }

  /** Lets only {@link OwnRequests} through. */
  private static final class Check extends Handler.Wrapper {
    Check(Handler server) {
      super(server);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      HttpFields headers = request.getHeaders();
      Optional<String> refusal =
          OwnRequests.refusal(
              headers.get(HttpHeader.HOST),
              headers.get(HttpHeader.ORIGIN),
              headers.get("Sec-Fetch-Site"));
      if (refusal.isEmpty()) {
        return super.handle(request, response, callback);
      }
      Response.writeError(request, response, callback, HttpStatus.FORBIDDEN_403, refusal.get());
      return true;
    }
  }

  /**
   * Loads DynamoDB Local's parsers of expressions. They were made with an older ANTLR than the one
   * that runs them here, beside the parser of filters; they work, but each says so on standard
   * error when it is loaded, amid what the user reads.
   */
  static final class QuietParsers {
    private static final String GRAMMAR = "com.amazon.dynamodb.grammar.DynamoDbGrammar";

    private QuietParsers() {}

    @SuppressWarnings("checkstyle:regexp") // nothing is written to it
    static void load() throws ClassNotFoundException {
      PrintStream standardError = System.err;
      try (PrintStream nowhere =
          new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
        System.setErr(nowhere);
        Class.forName(GRAMMAR + "Lexer");
        Class.forName(GRAMMAR + "Parser");
      } finally {
        System.setErr(standardError);
      }
    }
  }
}
