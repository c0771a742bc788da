package io.indexview.aws;

import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;

/**
 * The threads that do the network's work for all clients, for the life of the process. A client
 * with threads of its own would take two quiet seconds to close.
 */
public final class EventLoops {
  private static final int THREADS = 2;

  public static final SdkEventLoopGroup SHARED =
      SdkEventLoopGroup.create(
          new NioEventLoopGroup(THREADS, new DefaultThreadFactory("indexview-aws-io", true)));

  private EventLoops() {}
}
