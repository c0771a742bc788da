package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.SpecLog;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Specs on a real broker: what a fake of transactions cannot show. */
class SpecLogIT {
  private static final int CHANGES = 25;

  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();

  @Test
  void writersThatFenceEachOtherLoseNoUpdate(@TempDir Path data) {
    StackConfig config = StackConfig.builder().dataDirectory(data).parts(PartName.BROKER).build();
    try (LocalStack stack = LocalStack.start(config);
        SpecLog one = open(stack);
        SpecLog other = open(stack)) {
      one.put("people", "first", BuildRequest.FIRST, OptionalLong.of(SpecLog.ABSENT));
      long first = other.all().get("people").version();

      List<Long> versions =
          Stream.of(hammer(one, "one"), hammer(other, "other"))
              .flatMap(writer -> writer.join().stream())
              .sorted()
              .toList();

      assertThat(versions)
          .isEqualTo(LongStream.rangeClosed(first + 1, first + 2L * CHANGES).boxed().toList());
      assertThat(one.all().get("people").version()).isEqualTo(first + 2L * CHANGES);
      assertThat(other.all()).isEqualTo(one.all());
    }
  }

  private SpecLog open(LocalStack stack) {
    return SpecLog.connect(
        Map.of("bootstrap.servers", stack.bootstrapServers()),
        stack.config().topics(),
        registry,
        Clock.systemUTC());
  }

  private static CompletableFuture<List<Long>> hammer(SpecLog log, String name) {
    return CompletableFuture.supplyAsync(
        () ->
            IntStream.range(0, CHANGES)
                .mapToObj(
                    number ->
                        log.put("people", name + number, BuildRequest.FIRST, OptionalLong.empty()))
                .map(ViewSpec::version)
                .toList());
  }
}
