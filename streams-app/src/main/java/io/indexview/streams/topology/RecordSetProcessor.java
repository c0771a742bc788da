package io.indexview.streams.topology;

import io.indexview.streams.derive.ChangeRecord;
import io.indexview.streams.derive.Emitter;
import io.indexview.streams.derive.Entries;
import io.indexview.streams.derive.Problem;
import io.indexview.streams.derive.RecordSetDeriver;
import io.indexview.streams.generation.FrozenGeneration;
import java.time.Duration;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueStore;

/** The shell of one task of a record set: state in, rows and dead letters out. */
final class RecordSetProcessor implements Processor<byte[], byte[], Object, byte[]> {
  private static final Duration PURGE_INTERVAL = Duration.ofSeconds(1);
  private static final int PURGE_SLICE = 2_000;

  private final Names names;
  private final RecordSetDeriver deriver;
  private final DeadLetters deadLetters;
  private final TaskSettings settings;
  private ProcessorContext<Object, byte[]> context;
  private Entries entries;
  private Emitter emitter;
  private ChangeRecord current;

  RecordSetProcessor(
      Names names, RecordSetDeriver deriver, DeadLetters deadLetters, TaskSettings settings) {
    this.names = names;
    this.deriver = deriver;
    this.deadLetters = deadLetters;
    this.settings = settings;
  }

  @Override
  public void init(ProcessorContext<Object, byte[]> processorContext) {
    context = processorContext;
    KeyValueStore<Bytes, byte[]> store = context.getStateStore(names.store());
    entries = new StoreEntries(store);
    emitter = new ForwardingEmitter();
    MarkerPurge purge = new MarkerPurge(store, settings.tombstoneRetention(), PURGE_SLICE);
    context.schedule(
        PURGE_INTERVAL,
        PunctuationType.WALL_CLOCK_TIME,
        now -> settings.counters().countPurged(purge.run(context.currentStreamTimeMs(), now)));
  }

  @Override
  public void process(Record<byte[], byte[]> message) {
    RecordMetadata metadata =
        context
            .recordMetadata()
            .orElseThrow(() -> new IllegalStateException("a source record has no coordinates"));
    current =
        new ChangeRecord(
            metadata.topic(),
            metadata.partition(),
            metadata.offset(),
            message.timestamp(),
            message.key(),
            message.value());
    deriver.process(current, entries, emitter, context.currentSystemTimeMs());
  }

  private record StoreEntries(KeyValueStore<Bytes, byte[]> store) implements Entries {
    @Override
    public byte[] get(byte[] key) {
      return store.get(Bytes.wrap(key));
    }

    @Override
    public void put(byte[] key, byte[] entry) {
      store.put(Bytes.wrap(key), entry);
    }
  }

  private final class ForwardingEmitter implements Emitter {
    private final RowHeaders headers = new RowHeaders();

    @Override
    public void row(FrozenGeneration generation, byte[] key, byte[] value, long revision) {
      OutgoingRow row = new OutgoingRow(generation.viewTopic(), current.partition(), key);
      Headers rowHeaders = headers.of(revision, generation.number());
      context.forward(new Record<>(row, value, current.timestampMs(), rowHeaders), names.rowSink());
    }

    @Override
    public void deadLetter(Problem problem) {
      context.forward(deadLetters.letter(current, problem), names.deadLetterSink());
    }
  }
}
