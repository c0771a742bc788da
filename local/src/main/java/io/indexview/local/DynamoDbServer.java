package io.indexview.local;

import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;

/**
 * DynamoDB Local over HTTP, in its own process. Its own server class listens on every address and
 * knows no option against it, so its request handler runs in a server of ours; by reflection, as
 * nothing of it may be compiled into other programs.
 */
final class DynamoDbServer {
  private static final String PACKAGE = "com.amazonaws.services.dynamodbv2.local.server.";

  private DynamoDbServer() {}

  /**
   * Serves until the process is ended.
   *
   * @param args the port, and the directory of the files; without one, everything is in memory
   */
  public static void main(String[] args) throws Exception {
    Handler handler = handler(args.length == 1 ? null : args[1]);
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost(PartContext.HOST);
    connector.setPort(Integer.parseInt(args[0]));
    server.addConnector(connector);
    server.setHandler(new RequestCheck(PartContext.HOST, new ContextHandler(handler)));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, handler), "stop"));
    server.start();
  }

  private static Handler handler(String files) throws ReflectiveOperationException {
    Class<?> requestHandler = Class.forName(PACKAGE + "LocalDynamoDBRequestHandler");
    // One database whatever the caller's region and key; no delayed states.
    Object requests =
        requestHandler
            .getConstructor(int.class, boolean.class, String.class, boolean.class, boolean.class)
            .newInstance(0, files == null, files, true, false);
    return (Handler)
        Class.forName(PACKAGE + "LocalDynamoDBServerHandler")
            .getConstructor(requestHandler.getSuperclass(), String.class)
            .newInstance(requests, null);
  }

  private static void stop(Server server, Handler handler) {
    try {
      server.stop();
      handler.getClass().getMethod("close").invoke(handler);
    } catch (Exception e) {
      throw new IllegalStateException("DynamoDB Local did not stop", e);
    }
  }
}
