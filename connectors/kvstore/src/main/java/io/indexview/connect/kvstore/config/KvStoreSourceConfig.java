package io.indexview.connect.kvstore.config;

import io.indexview.connect.common.config.ConfigFragment;
import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.config.KafkaFragment;
import io.indexview.connect.common.config.RetryFragment;
import io.indexview.connect.common.config.SourceFragment;
import io.indexview.connect.common.preflight.Preflight.PreflightFragment;
import io.indexview.schemas.registry.RegistryConfig;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;

/** Configuration of the kvstore source. */
public final class KvStoreSourceConfig extends AbstractConfig {
  private final SourceFragment source;
  private final KvStoreFragment store;
  private final ScanFragment scan;
  private final CaptureFragment capture;
  private final KafkaFragment kafka;
  private final RecordSetsFragment recordSets;
  private final RetryFragment retry;
  private final PreflightFragment preflight;

  /**
   * @throws org.apache.kafka.common.config.ConfigException if a key is not valid
   */
  public KvStoreSourceConfig(Map<String, String> originals) {
    super(definition(originals), originals, false);
    this.source = new SourceFragment(this);
    this.store = new KvStoreFragment(this);
    this.scan = new ScanFragment(this);
    this.capture = new CaptureFragment(this);
    this.kafka = new KafkaFragment(this);
    this.recordSets = new RecordSetsFragment(this, source.topics());
    this.retry = new RetryFragment(this);
    this.preflight = new PreflightFragment(this);
  }

  /** The keys, those of the record sets that the configuration names among them. */
  public static ConfigDef definition(Map<String, String> originals) {
    ConfigDef definition = RegistryConfig.configDef();
    SourceFragment.update(definition);
    KvStoreFragment.update(definition);
    RecordSetsFragment.update(definition, originals);
    CaptureFragment.update(definition);
    ScanFragment.update(definition);
    RetryFragment.update(definition);
    PreflightFragment.update(definition);
    return definition;
  }

  /** Validates a configuration, and reports each problem at its key. */
  public static Config validate(Map<String, String> originals) {
    return ConfigProblems.addTo(
        new Config(definition(originals).validate(originals)),
        () -> new KvStoreSourceConfig(originals).problems());
  }

  /** What single-key validators cannot see. */
  public ConfigProblems problems() {
    ConfigProblems problems = new ConfigProblems();
    for (ConfigFragment fragment : List.of(source, store, capture, scan, recordSets, retry)) {
      fragment.validate(problems);
    }
    return problems;
  }

  public SourceFragment source() {
    return source;
  }

  public KvStoreFragment store() {
    return store;
  }

  public ScanFragment scan() {
    return scan;
  }

  public CaptureFragment capture() {
    return capture;
  }

  public KafkaFragment kafka() {
    return kafka;
  }

  public RecordSetsFragment recordSets() {
    return recordSets;
  }

  public RetryFragment retry() {
    return retry;
  }

  public PreflightFragment preflight() {
    return preflight;
  }
}
